import Locks
import ProtoWire
package import PushAPI
import PushCrypto

/// Checks the signatures of topics, and remembers those that were good.
package final class TopicVerifier: Sendable {
    /// How often a thread that checks signatures lets others have it.
    private static let checksPerTurn = 32

    private let known: SystemLock<FingerprintCache>
    private let counters = SystemLock(Counters())

    /// What a verifier has done.
    package struct Counters: Hashable, Sendable {
        /// Topics found among those remembered.
        package var hits: UInt64 = 0
        /// Topics whose signature had to be checked.
        package var misses: UInt64 = 0
    }

    /// - Parameter capacity: how many good topics are remembered.
    package init(capacity: Int) {
        known = SystemLock(FingerprintCache(capacity: capacity))
    }

    /// What it has done, and how many topics it remembers.
    package var status: (counters: Counters, remembered: Int) {
        (counters.withLock { $0 }, known.withLock { $0.count })
    }

    /// Checks all of a request's topics, in order.
    ///
    /// - Returns: the topics, in the same order.
    /// - Throws: ``Refusal`` for the first topic that is not good.
    package func verify(_ topics: [Topic]) async throws(Refusal) -> [TopicKey] {
        var keys: [TopicKey] = []
        keys.reserveCapacity(topics.count)
        var decoded: (bytes: [UInt8], key: PublicKey)?
        var checks = 0
        for (index, topic) in topics.enumerated() {
            let fingerprint = TopicFingerprint(topic)
            if let fingerprint, known.withLock({ $0.contains(fingerprint) }) {
                keys.append(TopicKey(spaceKey: topic.spaceKey, name: topic.topic))
                continue
            }
            // Most requests are about one space: its key is decoded once.
            let key: PublicKey
            if let decoded, decoded.bytes == topic.spaceKey {
                key = decoded.key
            } else {
                key = try Self.spaceKey(topic.spaceKey, "topic \(index)")
                decoded = (topic.spaceKey, key)
            }
            guard key.isValidSignature(topic.signature, for: topic.topic.bytes) else {
                throw Refusal(.invalidTopicSignature, "topic \(index) is not signed by its space key")
            }
            if let fingerprint { known.withLock { $0.insert(fingerprint) } }
            keys.append(TopicKey(spaceKey: topic.spaceKey, name: topic.topic))
            checks += 1
            if checks.isMultiple(of: Self.checksPerTurn) {
                guard !Task.isCancelled else { throw Refusal(.cancelled, "the call was given up") }
                await Task.yield()
            }
        }
        let misses = UInt64(checks)
        counters.withLock { counters in
            counters.misses += misses
            counters.hits += UInt64(topics.count) - misses
        }
        return keys
    }

    /// A space key as a peer sent it.
    ///
    /// - Parameters:
    ///   - owner: what the key belongs to, for the refusal.
    static func spaceKey(_ bytes: [UInt8], _ owner: String) throws(Refusal) -> PublicKey {
        do {
            return try PublicKey(rawRepresentation: bytes)
        } catch {
            throw Refusal(.invalidSpaceKey, "the space key of \(owner) is no Ed25519 public key of 32 bytes")
        }
    }
}
