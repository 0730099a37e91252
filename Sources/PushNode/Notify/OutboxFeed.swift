import Locks

/// Brings what waits in an outbox to the queue, and what became of it back, in one look at the store at a time: however
/// many notifications come while one look waits for its turn, the next takes them all.
final class OutboxFeed: Sendable {
    /// Notifications that one look brings, so that none holds up the store for long.
    static let pageSize = 256

    private struct State {
        var outcomes: [Int64: OutboxOutcome] = [:]
        var lastId: Int64 = 0
        var isHurried = false
        /// How many looks were asked for, and how many of those requests are answered.
        var requests: UInt64 = 0
        var answered: UInt64 = 0
        var losses: (known: NotificationLosses, age: Stopwatch)?
        var lastFailure: String?
    }

    private let outbox: any NotificationOutbox
    private let clock: any Clock<Duration>
    private let loop: WorkLoop
    private let onEvent: PushEventHandler
    private let looks = Waiters()
    private let state = SystemLock(State())

    init(_ outbox: any NotificationOutbox, clock: any Clock<Duration>, onEvent: @escaping PushEventHandler) {
        self.outbox = outbox
        self.clock = clock
        self.onEvent = onEvent
        loop = WorkLoop(clock: clock, backoff: Backoff(initial: .seconds(1), maximum: .seconds(30)))
    }

    /// Begins to look.
    ///
    /// - Parameter deliver: takes what waits, in order.
    func start(_ deliver: @escaping @Sendable ([WaitingNotification]) async -> Void) {
        loop.start { await self.look(deliver) }
    }

    /// Something was written.
    func kick() {
        loop.kick()
    }

    /// Notes what became of a notification, in place of what is noted already.
    func note(_ outcomes: [OutboxOutcome]) {
        guard !outcomes.isEmpty else { return }
        state.withLock { state in
            for outcome in outcomes { state.outcomes[outcome.id] = outcome }
        }
        loop.kick()
    }

    /// What was lost of late, as far as the outbox knows.
    var losses: NotificationLosses? {
        state.withLock { state in
            guard let (known, age) = state.losses else { return nil }
            var losses = known
            losses.sinceLast += age.elapsed()
            return losses.sinceLast < NotificationLosses.memory ? losses : nil
        }
    }

    /// Waits until a look that began after this call has brought all that waits, later things too, and everything that
    /// was noted is written; also until the task is cancelled.
    func settle() async {
        let request = state.withLock { state in
            state.isHurried = true
            state.requests += 1
            return state.requests
        }
        loop.kick()
        await looks.wait { state.withLock { $0.answered < request } }
    }

    /// Stops looking, and writes what was noted if that can be done.
    func stop() async {
        await loop.stop()
        let outcomes = state.withLock { Array($0.outcomes.values) }
        guard !outcomes.isEmpty else { return }
        do {
            _ = try await outbox.exchange(outcomes, after: .max, limit: 0, isHurried: false)
        } catch {
            onEvent(.outboxFailed(reason: PushEvent.text(of: error)))
        }
    }

    private func look(_ deliver: @Sendable ([WaitingNotification]) async -> Void) async -> WorkLoop.Next {
        let (outcomes, lastId, isHurried, requests) = state.withLock { state in
            (state.outcomes, state.lastId, state.isHurried, state.requests)
        }
        let page: OutboxPage
        do {
            page = try await outbox.exchange(
                outcomes.values.sorted { $0.id < $1.id }, after: lastId, limit: Self.pageSize, isHurried: isHurried)
        } catch {
            if !Task.isCancelled { report(PushEvent.text(of: error)) }
            return .retry
        }
        let age = Stopwatch(clock)
        state.withLock { state in
            // What was noted meanwhile stays.
            for (id, outcome) in outcomes where state.outcomes[id] == outcome { state.outcomes[id] = nil }
            state.lastId = page.waiting.last?.id ?? lastId
            state.losses = page.losses.map { ($0, age) }
            state.lastFailure = nil
        }
        if !page.waiting.isEmpty { await deliver(page.waiting) }
        guard !page.hasMore else {
            loop.kick()
            return .idle
        }
        state.withLock { state in
            state.answered = max(state.answered, requests)
            if state.answered == state.requests { state.isHurried = false }
        }
        looks.wakeAll()
        return page.next.map { .after($0) } ?? .idle
    }

    private func report(_ reason: String) {
        let isNew = state.withLock { state in
            defer { state.lastFailure = reason }
            return state.lastFailure != reason
        }
        if isNew { onEvent(.outboxFailed(reason: reason)) }
    }
}
