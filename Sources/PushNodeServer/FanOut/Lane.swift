import PushAPI
import SQLiteStorage

/// Brings the queue's notifications to the devices of one platform.
///
/// A lane matches as it delivers: what is matched but not delivered stays within ``LaneLimits/concurrentDeliveries``.
/// Senders take turns, and the spaces of each within its own. A provider that is slow or down fills its own lane and nothing else.
actor Lane<Provider: Forwarder>: DeliveryLane {
    nonisolated let platform: Platform
    private let forwarder: Provider
    private let store: any NodeStore
    private let clock: Timeline
    private let limits: LaneLimits
    private let random: @Sendable () -> UInt64
    private let report: @Sendable (NodeEvent) -> Void
    private let expiry: @Sendable (ExpiryCount) -> Void
    private let outcomes: OutcomeLog?
    private nonisolated let signal = Signal()

    private var queue: FairQueue<SenderTag, [UInt8]>
    private var results: [DeliveryResult] = []
    private var inFlight = 0
    private var nextDue: NodeTime?
    private var pausedUntil: NodeTime?
    private var wakesAt: NodeTime?
    private var prefersDue = true
    private var isFinishing = false
    private var counters = LaneStatus()

    /// - Parameters:
    ///   - forwarder: the provider.
    ///   - store: the queue.
    ///   - random: spreads tries that failed together.
    ///   - report: is told what an operator should know.
    ///   - expiry: is told what was given up because its time was over.
    ///   - outcomes: keeps what became of the last deliveries.
    init(
        _ platform: Platform, forwarder: Provider, store: any NodeStore, clock: Timeline, limits: LaneLimits,
        random: @escaping @Sendable () -> UInt64, report: @escaping @Sendable (NodeEvent) -> Void,
        expiry: @escaping @Sendable (ExpiryCount) -> Void = { _ in }, outcomes: OutcomeLog? = nil
    ) {
        self.platform = platform
        self.forwarder = forwarder
        self.store = store
        self.clock = clock
        self.limits = limits
        queue = FairQueue(quantum: limits.matchedAtOnce)
        self.random = random
        self.report = report
        self.expiry = expiry
        self.outcomes = outcomes
    }

    var status: LaneStatus {
        var status = counters
        status.inFlight = inFlight
        status.queued = queue.count
        return status
    }

    func load() async throws(StoreError) {
        for notification in try await store.waiting(in: platform) {
            queue.add(notification.id, of: notification.sender, in: notification.space)
        }
        nextDue = try await store.nextDue(in: platform)
    }

    func add(_ notification: QueuedNotification) {
        queue.add(notification.id, of: notification.sender, in: notification.space)
        signal.raise()
    }

    func finish() {
        isFinishing = true
        signal.raise()
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            turns: while !Task.isCancelled {
                let now = clock.now
                if !turn(at: now).isPaused { await recordResults() }
                switch turn(at: now).step {
                case .work:
                    for item in await nextWork(at: now) {
                        group.addTask { [forwarder, clock] in
                            let started = clock.now
                            let outcome = await forwarder.deliver(item.message, item.delivery)
                            await self.ended(item.delivery, outcome, started: started)
                        }
                    }
                case .wait(let moment):
                    if let moment, isFirst(moment) {
                        wakesAt = moment
                        group.addTask { [clock] in
                            // None at all when the moment has come since.
                            try? await clock.sleep(for: clock.now.duration(to: moment))
                            await self.woke(at: moment)
                        }
                    }
                    await signal.wait()
                case .end:
                    break turns
                }
            }
            group.cancelAll()
        }
        await recordResults()
    }

    private func turn(at now: NodeTime) -> LaneTurn {
        let room = limits.concurrentDeliveries - inFlight
        return LaneTurn(
            now: now, pausedUntil: pausedUntil, nextDue: nextDue, hasQueued: !queue.isEmpty,
            // A few at a time, not one by one, for each step is a transaction.
            hasRoom: room >= max(limits.concurrentDeliveries / 16, 1), hasInFlight: inFlight > 0,
            isFinishing: isFinishing
        )
    }

    // MARK: Taking work

    private struct Work {
        let message: Provider.Message
        let delivery: Delivery
    }

    /// The next deliveries to try. With none the lane has still got on, or is paused.
    private func nextWork(at now: NodeTime) async -> [Work] {
        let room = limits.concurrentDeliveries - inFlight
        let count = max(min(room, limits.matchedAtOnce), 1)
        do throws(StoreError) {
            // New notifications and further tries take turns.
            prefersDue.toggle()
            var work = prefersDue ? try await takeDue(count, now) : try await matchNext(count, now)
            if work.isEmpty { work = prefersDue ? try await matchNext(count, now) : try await takeDue(count, now) }
            return work
        } catch {
            storeFailed(error)
            return []
        }
    }

    private func matchNext(_ count: Int, _ now: NodeTime) async throws(StoreError) -> [Work] {
        // What reaches no device takes its time too: further tries must not wait for the end of it.
        var left = limits.matchedAtOnce
        while left > 0, let step = queue.next() {
            let match = try await store.match(step.number, in: platform, limit: count, now: now)
            queue.end(step, cost: match.cost, isDone: match.isLast)
            left -= match.cost
            if match.isExpired { expired(ExpiryCount(notifications: 1)) }
            let work = prepare(match.deliveries.map { (match.content, $0) })
            if !work.isEmpty || !results.isEmpty { return work }
        }
        return []
    }

    private func takeDue(_ count: Int, _ now: NodeTime) async throws(StoreError) -> [Work] {
        while let due = nextDue, due <= now {
            let taken = try await store.takeDue(in: platform, limit: count, now: now)
            if taken.expired > 0 { expired(ExpiryCount(deliveries: taken.expired)) }
            counters.withoutDevice += UInt64(taken.withoutDevice)
            // First of all: what was taken is nobody else's to bring, whatever the store says next.
            let work = prepare(taken.deliveries)
            do throws(StoreError) {
                nextDue = try await store.nextDue(in: platform)
            } catch {
                storeFailed(error)
                return work
            }
            if !work.isEmpty || !results.isEmpty { return work }
        }
        return []
    }

    /// Makes the provider's message, once for each notification.
    private func prepare(_ deliveries: [(content: NotificationContent, delivery: Delivery)]) -> [Work] {
        inFlight += deliveries.count
        var messages: [Int64: Provider.Message] = [:]
        var work: [Work] = []
        work.reserveCapacity(deliveries.count)
        for (content, delivery) in deliveries {
            do throws(PayloadFault) {
                let known = messages[delivery.notification]
                let message = if let known { known } else { try forwarder.message(content, for: platform) }
                messages[delivery.notification] = message
                work.append(Work(message: message, delivery: delivery))
            } catch {
                ended(delivery, .payloadFault, started: clock.now)
            }
        }
        return work
    }

    // MARK: Outcomes

    private func ended(_ delivery: Delivery, _ outcome: DeliveryOutcome, started: NodeTime) {
        results.append(DeliveryResult(delivery: delivery, verdict: verdict(on: delivery, outcome, started: started)))
        outcomes?.note(OutcomeClass(outcome), of: delivery, by: forwarder.providerName, at: clock.now)
        signal.raise()
    }

    private func verdict(
        on delivery: Delivery, _ outcome: DeliveryOutcome, started: NodeTime
    ) -> DeliveryResult.Verdict {
        switch outcome {
        case .delivered:
            counters.delivered += 1
            return .done
        case .tokenGone:
            counters.tokensGone += 1
            return .tokenGone(since: started)
        case .payloadFault:
            counters.payloadFaults += 1
            return .done
        case .retry(let after, _):
            return retry(delivery, after: after ?? .zero)
        case .misconfigured:
            counters.misconfigured += 1
            let now = clock.now
            if !turn(at: now).isPaused { report(.forwarderMisconfigured(platform)) }
            pausedUntil = now.advanced(by: limits.misconfigurationPause)
            return retry(delivery, after: limits.misconfigurationPause)
        }
    }

    private func retry(_ delivery: Delivery, after asked: Duration) -> DeliveryResult.Verdict {
        let delay = max(
            min(asked, limits.longestProviderWait), limits.backoff.delay(after: delivery.attempts + 1, random: random())
        )
        let due = clock.now.advanced(by: delay)
        guard due < delivery.expiresAt else {
            expired(ExpiryCount(deliveries: 1))
            return .done
        }
        counters.retried += 1
        return .retry(at: due)
    }

    private func expired(_ count: ExpiryCount) {
        counters.expired += UInt64(count.deliveries)
        counters.expiredNotifications += UInt64(count.notifications)
        expiry(count)
    }

    private func recordResults() async {
        guard !results.isEmpty else { return }
        let recorded = results
        results = []
        do throws(StoreError) {
            try await store.record(recorded)
        } catch {
            // They keep their places, so that nothing more is started than the store can follow.
            results = recorded + results
            return storeFailed(error)
        }
        inFlight -= recorded.count
        for case .retry(let due) in recorded.map(\.verdict) {
            nextDue = min(nextDue ?? due, due)
        }
    }

    // MARK: Waiting

    private func storeFailed(_ error: StoreError) {
        report(.storeFailed(error))
        pausedUntil = clock.now.advanced(by: limits.storePause)
    }

    /// Whether no task sleeps that wakes the lane by then.
    private func isFirst(_ moment: NodeTime) -> Bool {
        wakesAt.map { moment < $0 } ?? true
    }

    private func woke(at time: NodeTime) {
        if wakesAt == time { wakesAt = nil }
        signal.raise()
    }
}

extension OutcomeClass {
    init(_ outcome: DeliveryOutcome) {
        self =
            switch outcome {
            case .delivered: .delivered
            case .tokenGone: .tokenGone
            case .payloadFault: .payloadRefused
            case .retry(_, .unavailable): .providerUnavailable
            case .retry(_, .diskFull): .providerDiskFull
            case .misconfigured: .misconfigured
            }
    }
}
