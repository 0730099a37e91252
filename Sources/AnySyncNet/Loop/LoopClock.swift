package import AnySyncWire
internal import CUV
internal import Synchronization

/// Where an event loop's time comes from.
package protocol LoopClock: Sendable {
    /// The time now.
    func now() -> MonotonicTime

    /// Whether time passes by itself. If so the loop sleeps until the next deadline; if not, whoever moves the time calls
    /// ``EventLoop/runDueTimers()``.
    var runsByItself: Bool { get }
}

/// The machine's monotonic clock.
package struct MonotonicClock: LoopClock {
    package init() {}

    package func now() -> MonotonicTime {
        MonotonicTime(nanoseconds: uv_hrtime())
    }

    package var runsByItself: Bool { true }
}

/// A clock that stands still until it is moved, for tests.
package final class ManualClock: LoopClock {
    private let time = Mutex(MonotonicTime.zero)

    package init() {}

    package func now() -> MonotonicTime {
        time.withLock { $0 }
    }

    package var runsByItself: Bool { false }

    /// Moves the time and runs what has become due on `loop`, deadline by deadline, so that a timer started by a timer
    /// starts at the right moment.
    package func advance(by duration: Duration, on loop: EventLoop) async {
        let target = now().advanced(by: duration)
        while let next = await loop.nextDeadline(), next <= target {
            time.withLock { $0 = max($0, next) }
            await loop.runDueTimers()
        }
        time.withLock { $0 = max($0, target) }
        await loop.runDueTimers()
    }
}
