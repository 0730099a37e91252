import PushNode
import SQLiteStorage

/// Brings the queue's notifications to the devices of one platform.
///
/// A lane matches as it delivers: what is matched but not delivered stays within ``LaneLimits/concurrentDeliveries``. Spaces
/// take turns. A provider that is slow or down fills its own lane and nothing else.
actor Lane<Provider: Forwarder>: DeliveryLane {
    nonisolated let platform: Platform
    private let forwarder: Provider
    private let store: any NodeStore
    private let clock: any NodeClock
    private let limits: LaneLimits
    private let random: @Sendable () -> UInt64
    private let report: @Sendable (NodeEvent) -> Void
    private nonisolated let signal = Signal()

    private var queue = FairQueue<[UInt8]>()
    private var results: [DeliveryResult] = []
    private var inFlight = 0
    private var nextDue: UnixTime?
    private var pausedUntil: UnixTime?
    private var wakesAt: UnixTime?
    private var prefersDue = true
    private var isFinishing = false
    private var counters = LaneStatus()

    /// - Parameters:
    ///   - forwarder: the provider.
    ///   - store: the queue.
    ///   - random: spreads tries that failed together.
    ///   - report: is told what an operator should know.
    init(
        _ platform: Platform, forwarder: Provider, store: any NodeStore, clock: any NodeClock, limits: LaneLimits,
        random: @escaping @Sendable () -> UInt64, report: @escaping @Sendable (NodeEvent) -> Void
    ) {
        self.platform = platform
        self.forwarder = forwarder
        self.store = store
        self.clock = clock
        self.limits = limits
        self.random = random
        self.report = report
    }

    var status: LaneStatus {
        var status = counters
        status.inFlight = inFlight
        status.queued = queue.count
        return status
    }

    func load() async throws(StoreError) {
        for notification in try await store.waiting(in: platform) {
            queue.add(notification.id, of: notification.space)
        }
        nextDue = try await store.nextDue(in: platform)
    }

    func add(_ notification: QueuedNotification) {
        queue.add(notification.id, of: notification.space)
        signal.raise()
    }

    func finish() {
        isFinishing = true
        signal.raise()
    }

    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                if !isPaused { await recordResults() }
                let work = isPaused ? [] : await nextWork()
                for item in work {
                    group.addTask { [forwarder, clock] in
                        let started = clock.now
                        let outcome = await forwarder.deliver(item.message, item.delivery)
                        await self.ended(item.delivery, outcome, started: started)
                    }
                }
                guard work.isEmpty else { continue }
                if isFinishing, inFlight == 0, queue.isEmpty || isPaused { break }
                if let wake = wakeToArm() {
                    group.addTask { [clock] in
                        try? await clock.sleep(for: clock.now.duration(to: wake))
                        await self.woke(at: wake)
                    }
                }
                await signal.wait()
            }
            group.cancelAll()
        }
        await recordResults()
    }

    // MARK: Taking work

    private struct Work {
        let message: Provider.Message
        let delivery: Delivery
    }

    /// The next deliveries to try, none when there are none or no room for more.
    private func nextWork() async -> [Work] {
        let room = limits.concurrentDeliveries - inFlight
        // A few at a time, not one by one, for each step is a transaction.
        guard room >= max(limits.concurrentDeliveries / 16, 1) else { return [] }
        let count = max(min(room, limits.matchedAtOnce), 1)
        do throws(StoreError) {
            // New notifications and further tries take turns.
            prefersDue.toggle()
            var work = prefersDue ? try await takeDue(count) : try await matchNext(count)
            if work.isEmpty { work = prefersDue ? try await matchNext(count) : try await takeDue(count) }
            return work
        } catch {
            storeFailed(error)
            return []
        }
    }

    private func matchNext(_ count: Int) async throws(StoreError) -> [Work] {
        while let (space, id) = queue.next() {
            let match = try await store.match(id, in: platform, limit: count, now: clock.now)
            if match.isLast { queue.removeFirst(of: space) }
            if match.isExpired { counters.expiredNotifications += 1 }
            let work = prepare(match.deliveries.map { (match.content, $0) })
            if !work.isEmpty || !results.isEmpty { return work }
        }
        return []
    }

    private func takeDue(_ count: Int) async throws(StoreError) -> [Work] {
        while let due = nextDue, due <= clock.now {
            let taken = try await store.takeDue(in: platform, limit: count, now: clock.now)
            counters.expired += UInt64(taken.expired)
            counters.withoutDevice += UInt64(taken.withoutDevice)
            nextDue = try await store.nextDue(in: platform)
            let work = prepare(taken.deliveries)
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

    private func ended(_ delivery: Delivery, _ outcome: DeliveryOutcome, started: UnixTime) {
        results.append(DeliveryResult(delivery: delivery, verdict: verdict(on: delivery, outcome, started: started)))
        signal.raise()
    }

    private func verdict(
        on delivery: Delivery, _ outcome: DeliveryOutcome, started: UnixTime
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
        case .retry(let after):
            return retry(delivery, after: after ?? .zero)
        case .misconfigured:
            counters.misconfigured += 1
            if !isPaused { report(.forwarderMisconfigured(platform)) }
            pausedUntil = clock.now.advanced(by: limits.misconfigurationPause)
            return retry(delivery, after: limits.misconfigurationPause)
        }
    }

    private func retry(_ delivery: Delivery, after asked: Duration) -> DeliveryResult.Verdict {
        let delay = max(asked, limits.backoff.delay(after: delivery.attempts + 1, random: random()))
        let due = clock.now.advanced(by: delay)
        guard due < delivery.expiresAt else {
            counters.expired += 1
            return .done
        }
        counters.retried += 1
        return .retry(at: due)
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

    private var isPaused: Bool {
        guard let pausedUntil else { return false }
        return clock.now < pausedUntil
    }

    private func storeFailed(_ error: StoreError) {
        report(.storeFailed(error))
        pausedUntil = clock.now.advanced(by: limits.storePause)
    }

    /// When to wake up because something can be done then, `nil` when there is nothing or a task sleeps until then already.
    /// What is due by now waits for room, and whoever makes room raises the signal.
    private func wakeToArm() -> UnixTime? {
        let now = clock.now
        let pause = isPaused ? pausedUntil : nil
        guard let wake = pause ?? nextDue, wake > now, wakesAt.map({ wake < $0 }) ?? true else { return nil }
        wakesAt = wake
        return wake
    }

    private func woke(at time: UnixTime) {
        if wakesAt == time { wakesAt = nil }
        signal.raise()
    }
}
