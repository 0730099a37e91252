/// Every replay, by the name of its file.
enum VectorFiles {
    static var all: [any VectorFile.Type] {
        [
            AesGcmReplay.self,
            IdentityReplay.self,
            MnemonicReplay.self,
            NotifyRequestReplay.self,
            PayloadReplay.self,
            PushKeysReplay.self,
            ReconcileReplay.self,
            Slip10Replay.self,
            Slip21Replay.self,
            TopicsReplay.self,
        ]
    }
}
