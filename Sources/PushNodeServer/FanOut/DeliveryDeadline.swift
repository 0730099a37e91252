import Locks

/// Holds a lane's forwarder to its word: a try that is not answered in time, or soon after it was cancelled, is given up as
/// one to repeat, so that a forwarder that hangs holds up neither its lane nor the node's end.
///
/// Time is measured by a clock that no step of the calendar's moves.
final class DeliveryDeadline: Sendable {
    private struct Try {
        let started: ContinuousClock.Instant
        let continuation: CheckedContinuation<DeliveryOutcome, Never>
        var task: Task<Void, Never>?
    }

    private struct State {
        var next: UInt64 = 0
        var open: [UInt64: Try] = [:]
        /// Tries that were given up and that the forwarder still works on.
        var abandoned = 0
        var isWatched = false
        var watch: Task<Void, Never>?
    }

    private let limit: Duration
    private let grace: Duration
    private let room: Int
    private let state = SystemLock(State())

    /// - Parameters:
    ///   - limit: how long a try may take.
    ///   - grace: how long a forwarder that was cancelled may take to say what has come of the try.
    ///   - room: how many tries that were given up the forwarder may still hold; then nothing new is given to it.
    init(limit: Duration = DeliveryOutcome.deadline, grace: Duration = .seconds(1), room: Int) {
        self.limit = limit
        self.grace = grace
        self.room = max(room, 1)
    }

    deinit {
        state.withLock { $0.watch }?.cancel()
    }

    /// Makes one try.
    func deliver(_ body: @escaping @Sendable () async -> DeliveryOutcome) async -> DeliveryOutcome {
        let number = state.withLock { state -> UInt64? in
            guard state.abandoned < room else { return nil }
            state.next += 1
            return state.next
        }
        guard let number else { return .retry(after: nil) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFirst = state.withLock { state in
                    state.open[number] = Try(started: .now, continuation: continuation)
                    defer { state.isWatched = true }
                    return !state.isWatched
                }
                let task = Task { [self] in ended(number, await body()) }
                state.withLock { $0.open[number]?.task = task }
                if isFirst { watch() }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// The forwarder has answered.
    private func ended(_ number: UInt64, _ outcome: DeliveryOutcome) {
        let waiting = state.withLock { state in
            let waiting = state.open.removeValue(forKey: number)
            if waiting == nil { state.abandoned -= 1 }
            return waiting
        }
        waiting?.continuation.resume(returning: outcome)
    }

    private func cancel(_ number: UInt64) {
        guard let task = state.withLock({ $0.open[number]?.task }) else { return }
        task.cancel()
        Task { [self] in
            try? await Task.sleep(for: grace)
            giveUp { $0 == number && $1.task != nil }
        }
    }

    /// Ends tries without the forwarder.
    private func giveUp(_ isOverdue: (UInt64, Try) -> Bool) {
        let overdue = state.withLock { state in
            let overdue = state.open.filter(isOverdue)
            for number in overdue.keys { state.open[number] = nil }
            state.abandoned += overdue.count
            return Array(overdue.values)
        }
        for attempt in overdue {
            attempt.task?.cancel()
            attempt.continuation.resume(returning: .retry(after: nil))
        }
    }

    private func watch() {
        let task = Task { [weak self] in
            while let next = self?.nextDeadline(), !Task.isCancelled {
                try? await ContinuousClock().sleep(until: next)
                guard let self else { return }
                let latest = ContinuousClock.now.advanced(by: .zero - limit)
                giveUp { $1.started <= latest }
            }
        }
        state.withLock { $0.watch = task }
    }

    private func nextDeadline() -> ContinuousClock.Instant? {
        state.withLock { state in
            guard let first = state.open.values.map(\.started).min() else {
                state.isWatched = false
                return nil
            }
            return first.advanced(by: limit)
        }
    }
}
