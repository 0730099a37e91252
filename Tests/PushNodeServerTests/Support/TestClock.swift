import PushNodeServer
import TestSupport

/// A node's clock that stands still until a test moves it.
struct TestClock: NodeClock {
    static let start = UnixTime(milliseconds: 1_800_000_000_000)

    let clock: VirtualClock

    init(_ clock: VirtualClock = VirtualClock()) {
        self.clock = clock
    }

    var now: UnixTime { Self.start.advanced(by: clock.now.offset) }

    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }
}
