import ProtoWire
import PushAPI
import PushCrypto

/// The SHA-256 of a signed topic: space key, signature and name.
struct TopicFingerprint: Hashable, Sendable {
    private let hash: Bytes32

    /// The fingerprint of a topic; `nil` when its key has not 32 bytes or its signature not 64. With these lengths no two
    /// topics are the same bytes.
    init?(_ topic: Topic) {
        guard topic.spaceKey.count == PublicKey.byteCount, topic.signature.count == SigningKey.signatureByteCount else {
            return nil
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(topic.spaceKey.count + topic.signature.count + topic.topic.bytes.count)
        bytes.append(contentsOf: topic.spaceKey)
        bytes.append(contentsOf: topic.signature)
        bytes.append(contentsOf: topic.topic.bytes)
        hash = Bytes32(Digest.sha256(bytes))
    }

    // A quarter of a hash spreads as well as the whole.
    func hash(into hasher: inout Hasher) {
        hasher.combine(hash.prefix)
    }
}
