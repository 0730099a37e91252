import ProtoWire
import PushAPI
package import PushCrypto

/// What makes two notifications the same: who sends it, where to, and what it says. Payloads are sealed under a nonce of
/// their own, so two notifications are never the same by chance; the same one again is a caller that had no answer.
package struct RepeatKey: Hashable, Sendable {
    /// Who sent it.
    let sender: SenderTag
    /// The first half of a SHA-256 of all that, 16 bytes.
    let digest: [UInt8]

    /// The key of a notification; `nil` without a message: a read notice says the same each time, and is meant each time.
    package init?(_ content: NotificationContent, from account: PublicKey, to topics: [TopicKey]) {
        guard let message = content.message else { return nil }
        sender = SenderTag(account)
        var bytes: [UInt8] = []
        func add(_ part: [UInt8]) {
            withUnsafeBytes(of: UInt64(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: part)
        }
        add(account.rawRepresentation)
        add([content.isSilent ? 1 : 0])
        add(content.groupId.bytes)
        add(message.keyId.bytes)
        add(message.payload)
        // Their order says nothing.
        let hashes = Set(topics).map { Digest.sha256($0.spaceKey + $0.name.bytes) }
        for hash in hashes.sorted(by: { $0.lexicographicallyPrecedes($1) }) { bytes.append(contentsOf: hash) }
        digest = Array(Digest.sha256(bytes).prefix(16))
    }
}

/// How many accepted notifications are remembered, to know them when they come again.
package struct RepeatLimits: Hashable, Sendable {
    /// Of one sender.
    package var perSender: Int
    /// In all.
    package var total: Int

    /// Limits; see the properties.
    package init(perSender: Int, total: Int) {
        self.perSender = perSender
        self.total = total
    }
}

/// How many notifications of whom are remembered, so that the limits cost no counting.
struct RepeatCounts {
    private var bySender: [SenderTag: Int] = [:]
    private(set) var total = 0

    mutating func add(_ count: Int = 1, of sender: SenderTag) {
        bySender[sender, default: 0] += count
        total += count
    }

    mutating func remove(of sender: SenderTag) {
        guard let count = bySender[sender] else { return }
        bySender[sender] = count > 1 ? count - 1 : nil
        total -= 1
    }

    /// Who has to forget its oldest for one more of a sender.
    func eviction(for sender: SenderTag, _ limits: RepeatLimits) -> RepeatEviction {
        if bySender[sender, default: 0] >= max(limits.perSender, 1) { return .ownOldest }
        return total >= max(limits.total, 1) ? .oldest : .none
    }
}

/// Which remembered notification makes room for another.
enum RepeatEviction: Sendable {
    case none, ownOldest, oldest
}
