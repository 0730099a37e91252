import TestSupport

@testable import AnySyncNet

extension ConnectionKind {
    /// What the conformance suite runs, each test once for each kind.
    static let tested = TestTransports.kinds

    /// Time that stands still where it can: QUIC measures round trips.
    var clock: any LoopClock {
        self == .quic ? MonotonicClock() : ManualClock()
    }
}
