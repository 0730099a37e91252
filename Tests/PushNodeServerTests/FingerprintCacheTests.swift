import ProtoWire
import PushAPI
import PushNode
import Testing

@testable import PushNodeServer

@Suite struct FingerprintCacheTests {
    @Test func whatWasPutInIsKnown() {
        var cache = FingerprintCache(capacity: 16)
        #expect(!cache.knows(fingerprint(1)))
        cache.insert(fingerprint(1))
        cache.insert(fingerprint(1))
        #expect(cache.knows(fingerprint(1)))
        #expect(!cache.knows(fingerprint(2)))
        #expect(cache.count == 1)
    }

    @Test(arguments: [1, 2, 3, 8, 64])
    func itNeverHoldsMoreThanItsCapacity(_ capacity: Int) {
        var cache = FingerprintCache(capacity: capacity)
        for number in 0..<1000 {
            cache.insert(fingerprint(number))
            if number.isMultiple(of: 3) { _ = cache.contains(fingerprint(number)) }
            #expect(cache.count <= max(capacity, 2))
        }
    }

    @Test func aFloodOfNewTopicsDoesNotDriveOutThoseInUse() {
        var cache = FingerprintCache(capacity: 80)
        let used = (0..<40).map(fingerprint)
        for topic in used {
            cache.insert(topic)
            _ = cache.contains(topic)
        }
        for number in 1000..<10_000 { cache.insert(fingerprint(number)) }
        var remembered = 0
        for topic in used where cache.contains(topic) { remembered += 1 }
        #expect(remembered == 40)
        #expect(cache.count == 50)
    }

    @Test func whatIsUsedStaysWhenTheMainRingIsFull() {
        var cache = FingerprintCache(capacity: 16)
        // 14 places in the main ring: the first two topics are used all along, the others once.
        for number in 0..<200 {
            cache.insert(fingerprint(number))
            _ = cache.contains(fingerprint(number))
            _ = cache.contains(fingerprint(0))
            _ = cache.contains(fingerprint(1))
        }
        #expect(cache.knows(fingerprint(0)))
        #expect(cache.knows(fingerprint(1)))
        #expect(!cache.knows(fingerprint(100)))
    }

    @Test func topicsThatDifferInAnyPartAreDifferent() throws {
        let space = TestSpace()
        let topic = space.topic("chats")
        var others = [topic, topic, topic]
        others[0].spaceKey[0] ^= 1
        others[1].signature[63] ^= 1
        others[2].topic = "chatt"
        let fingerprints = try (others + [topic]).map { try #require(TopicFingerprint($0)) }
        #expect(Set(fingerprints).count == 4)
        #expect(TopicFingerprint(topic) == fingerprints[3])
    }

    @Test func aTopicOfOddLengthsHasNone() {
        let topic = TestSpace().topic("chats")
        // The same bytes in a row, cut elsewhere.
        var moved = topic
        moved.spaceKey.append(moved.signature.removeFirst())
        #expect(TopicFingerprint(moved) == nil)
        #expect(TopicFingerprint(Topic(spaceKey: topic.spaceKey, topic: "chats")) == nil)
    }

    private func fingerprint(_ number: Int) -> TopicFingerprint {
        let topic = Topic(
            spaceKey: [UInt8](repeating: 1, count: 32), topic: WireString("\(number)"),
            signature: [UInt8](repeating: 2, count: 64)
        )
        guard let fingerprint = TopicFingerprint(topic) else { preconditionFailure("the lengths are right") }
        return fingerprint
    }
}

extension FingerprintCache {
    /// Whether a topic is known, without leaving a trace.
    fileprivate func knows(_ fingerprint: TopicFingerprint) -> Bool {
        var copy = self
        return copy.contains(fingerprint)
    }
}
