import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer

/// An account on a device, as it calls a node.
struct Member {
    let account: SigningKey
    let caller: Caller

    init(account: SigningKey = SigningKey(), peer: SigningKey = SigningKey()) {
        self.account = account
        caller = Caller(identity: account.publicKey, peerId: PeerId(publicKey: peer.publicKey))
    }

    var identity: PublicKey { account.publicKey }
    var address: WireString { TopicName.identity(identity) }

    /// The same account on another device.
    func onAnotherDevice() -> Member { Member(account: account) }

    func message(_ payload: [UInt8]) -> NotifyRequest.Message {
        NotifyRequest.Message(
            keyId: WireString(String(repeating: "0", count: 64)), payload: payload,
            signature: account.signature(for: payload)
        )
    }
}

/// A space as its members know it.
struct TestSpace {
    let key: SigningKey

    init(key: SigningKey = SigningKey()) {
        self.key = key
    }

    var bytes: [UInt8] { key.publicKey.rawRepresentation }

    func topic(_ name: WireString) -> Topic {
        Topic(spaceKey: bytes, topic: name, signature: key.signature(for: name.bytes))
    }

    func topics(_ names: WireString...) -> Topics { Topics(names.map(topic)) }

    func key(_ name: WireString) -> TopicKey { TopicKey(spaceKey: bytes, name: name) }
}
