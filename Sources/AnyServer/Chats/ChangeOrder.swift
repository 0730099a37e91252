/// Where a change stands in the total order of its chat: by Lamport counter, and where that is the same by id.
///
/// Every server that has the same changes has them in the same order, whenever they arrived.
struct ChangeOrder: Hashable, Sendable, Comparable {
    let counter: UInt64
    let changeId: String

    init(counter: UInt64, changeId: String) {
        self.counter = counter
        self.changeId = changeId
    }

    /// Reads a ``versionId``; `nil` for any other text.
    init?(versionId: String) {
        guard
            versionId.utf8.count > Self.digits, let counter = UInt64(versionId.prefix(Self.digits), radix: 16)
        else { return nil }
        self.init(counter: counter, changeId: String(versionId.dropFirst(Self.digits)))
    }

    private static let digits = 16

    /// The order as a text that sorts as the order does: 16 hex digits of the counter, then the id. It is `versionId`,
    /// and in a message's record `_ver.id`.
    var versionId: String {
        let digits = String(counter, radix: 16)
        return String(repeating: "0", count: Self.digits - digits.utf8.count) + digits + changeId
    }

    static func < (left: ChangeOrder, right: ChangeOrder) -> Bool {
        left.counter == right.counter
            ? left.changeId.utf8.lexicographicallyPrecedes(right.changeId.utf8) : left.counter < right.counter
    }
}
