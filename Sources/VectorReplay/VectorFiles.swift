/// Every replay, by the name of its file.
enum VectorFiles {
    /// The replay of a file: its name is the stem, or the stem, a `-`, `_` or `.`, and what tells it from others.
    static func replay(named name: String) -> (any VectorFile.Type)? {
        all.first { type in
            name == type.stem || ["-", "_", "."].contains { name.hasPrefix(type.stem + $0) }
        }
    }

    static var all: [any VectorFile.Type] {
        [
            AclReplay.self,
            AesGcmReplay.self,
            DrpcReplay.self,
            HandshakeReplay.self,
            IdentityReplay.self,
            MnemonicReplay.self,
            NotifyRequestReplay.self,
            PayloadReplay.self,
            PushKeysReplay.self,
            ReceiverReplay.self,
            ReconcileReplay.self,
            Slip10Replay.self,
            Slip21Replay.self,
            TcpSessionReplay.self,
            TopicsReplay.self,
            YamuxReplay.self,
        ]
    }
}
