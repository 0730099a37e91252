import Locks

/// A clock that stands still until a test moves it.
public final class VirtualClock: Clock, Sendable {
    /// A moment, counted from the clock's making.
    public struct Instant: InstantProtocol {
        public var offset: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    fileprivate struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    fileprivate struct State {
        var now = Instant(offset: .zero)
        var nextId: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        var cancelled: Set<UInt64> = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = SystemLock(State())

    private let drift: Duration

    /// - Parameter drift: how far the time moves at each look, as it does between two looks of a program.
    public init(drift: Duration = .zero) {
        self.drift = drift
    }

    public var now: Instant {
        guard drift > .zero else { return state.withLock { $0.now } }
        let now = state.withLock { $0.now }
        advance(by: drift)
        return now
    }
    public var minimumResolution: Duration { .nanoseconds(1) }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.nextId += 1
            return state.nextId
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let (result, ready) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.remove(id) != nil { return (.failure(CancellationError()), []) }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return (nil, state.takeReadyWaiters())
                }
                if let result { continuation.resume(with: result) }
                for waiter in ready { waiter.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// How many tasks sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Waits until at least so many tasks sleep.
    public func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.waiters.append((count, continuation))
                return state.takeReadyWaiters()
            }
            for waiter in ready { waiter.resume() }
        }
    }

    /// Moves the time to the next moment that a task sleeps until.
    ///
    /// - Returns: `false` when none sleeps.
    public func advanceToNextSleeper() -> Bool {
        let rest = state.withLock { state in
            state.sleepers.values.map { state.now.duration(to: $0.deadline) }.min()
        }
        guard let rest else { return false }
        advance(by: rest)
        return true
    }

    /// Moves the time and wakes those whose time has come, the earliest first.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            // Who has slept for longer wakes first, in the same order every time.
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for sleeper in due { sleeper.value.continuation.resume() }
    }
}

extension VirtualClock.State {
    fileprivate mutating func takeReadyWaiters() -> [CheckedContinuation<Void, Never>] {
        let count = sleepers.count
        let ready = waiters.filter { $0.count <= count }.map(\.continuation)
        waiters.removeAll { $0.count <= count }
        return ready
    }
}
