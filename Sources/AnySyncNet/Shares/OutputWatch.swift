package import AnySyncWire

/// Whether a peer takes what it is sent: looked at every so often while something waits for it.
package struct OutputWatch: Sendable {
    private let interval: Duration
    private var takenBefore: UInt64 = 0
    /// When to look next; `nil` while nothing waits.
    package private(set) var deadline: MonotonicTime?

    /// Fewer bytes than these in one interval count as none. Ours: slower than any path on which a call could succeed.
    package static let least: UInt64 = 4096

    package init(interval: Duration) {
        self.interval = interval
    }

    /// Says whether something waits, and how much the peer has taken in all.
    package mutating func update(isWaiting: Bool, taken: UInt64, now: MonotonicTime) {
        guard isWaiting else {
            deadline = nil
            return
        }
        guard deadline == nil else { return }
        takenBefore = taken
        deadline = now.advanced(by: interval)
    }

    /// Looks, if it is time.
    ///
    /// - Returns: whether the peer has taken next to nothing since the last look.
    package mutating func isStalled(taken: UInt64, now: MonotonicTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        guard taken >= takenBefore + Self.least else { return true }
        takenBefore = taken
        self.deadline = now.advanced(by: interval)
        return false
    }
}
