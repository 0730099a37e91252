import AnySyncWire
import Locks

@testable import AnySyncNet

/// The machine's clock with jumps: time passes by itself, for transports that need it to, and leaps when a test says.
final class SkippingClock: LoopClock {
    private let skipped = SystemLock(Duration.zero)
    private let clock = MonotonicClock()

    func now() -> MonotonicTime {
        clock.now().advanced(by: skipped.withLock { $0 })
    }

    var runsByItself: Bool { true }

    /// Leaps, and runs what is due then.
    func skip(_ duration: Duration, on loop: EventLoop) async {
        skipped.withLock { $0 += duration }
        await loop.runDueTimers()
    }
}
