package import AnySyncNet
import PushAPI
package import PushCrypto
import SQLiteStorage

/// A push node without its network: store, service and lanes, started and stopped together.
package actor NodeCore {
    /// Answers the calls.
    package nonisolated let service: PushService
    private nonisolated let store: any NodeStore
    private nonisolated let lanes: [any DeliveryLane]
    private let clock: any NodeClock
    private let watch: NodeWatch
    private let watching: Task<Void, Never>
    private nonisolated let events: EventThrottle
    private let tasks: [Task<Void, Never>]
    private var stopping: Task<Void, Never>?

    private init(
        service: PushService, store: any NodeStore, lanes: [any DeliveryLane], clock: any NodeClock,
        watch: NodeWatch, events: EventThrottle
    ) {
        self.service = service
        self.store = store
        self.lanes = lanes
        self.clock = clock
        self.watch = watch
        watching = Task { await watch.run() }
        self.events = events
        tasks = lanes.map { lane in Task { await lane.run() } }
    }

    /// Opens the store and takes up its queue.
    ///
    /// - Parameters:
    ///   - configuration: how it keeps and forwards notifications.
    ///   - owner: the node's peer id. A store of another node is refused; `nil` takes any.
    /// - Throws: ``NodeError``; then nothing is left running.
    package static func start(
        _ configuration: NodeConfiguration, owner: PeerId? = nil
    ) async throws(NodeError) -> NodeCore {
        try check(configuration)
        let clock = configuration.clock
        let events = EventThrottle(
            interval: NodeConfiguration.eventInterval, clock: clock, report: configuration.onEvent
        )
        do throws(StoreError) {
            let recovery = QueueRecovery(
                lanes: Array(configuration.forwarders.keys), lifetime: configuration.notificationLifetime,
                longestWait: configuration.laneLimits.backoff.longest
            )
            let (store, start) = try await SQLiteStore.open(
                path: configuration.storePath, limits: configuration.storeLimits, owner: owner,
                expecting: configuration.storeExpectation, clock: clock, recovery,
                moved: { events.pass($0.map { .storeMoved($0) } ?? .storeReturned) }
            )
            // Not throttled: each of its events sums up a minute.
            let watch = NodeWatch(
                clock: clock, lifetime: configuration.notificationLifetime, report: configuration.onEvent
            )
            if let passage = start.passage { report(passage, to: configuration.onEvent) }
            for (lane, count) in start.expired { watch.note(count, in: lane) }
            let outcomes = OutcomeLog(
                capacity: configuration.serviceLimits.outcomeDevices, now: start.timeline.now)
            let lanes = configuration.forwarders.map { platform, forwarder in
                lane(platform, forwarder, store, start.timeline, configuration, watch, events, outcomes)
            }
            // Before anything can be accepted, or it would be in the lanes twice.
            for lane in lanes { try await lane.load() }
            let settings = PushService.DeliverySettings(
                texts: configuration.texts, lifetime: configuration.notificationLifetime, lanes: lanes.map(\.platform),
                queued: { notification in
                    for lane in lanes { await lane.add(notification) }
                },
                storeFailed: { error in
                    // Told by the store itself, once.
                    if case .moved = error { return }
                    events.pass(.storeFailed(error))
                }
            )
            let service = PushService(
                store: store, clock: start.timeline, limits: configuration.serviceLimits, delivery: settings,
                outcomes: outcomes
            )
            events.pass(.started(queued: try await store.statistics().notifications))
            return NodeCore(service: service, store: store, lanes: lanes, clock: clock, watch: watch, events: events)
        } catch {
            throw .store(error)
        }
    }

    /// Delivers what can be delivered now, then stops. The rest stays in the store for the next start.
    ///
    /// To be called once no calls come any more; more often does no harm.
    ///
    /// - Parameter drain: how long deliveries may go on; then they are cancelled, and made again after the next start.
    package func stop(drain: Duration) async {
        let task = stopping ?? Task { await finish(drain) }
        stopping = task
        await task.value
    }

    private func finish(_ drain: Duration) async {
        for lane in lanes { await lane.finish() }
        let deadline = Task { [clock, tasks] in
            guard (try? await clock.sleep(for: drain)) != nil else { return }
            for task in tasks { task.cancel() }
        }
        for task in tasks { await task.value }
        deadline.cancel()
        await deadline.value
        watching.cancel()
        await watching.value
        watch.look()
        let queued = try? await store.statistics().notifications
        await store.close()
        events.pass(.stopped(queued: queued ?? 0))
    }

    /// Passes on what happened on the network.
    package nonisolated func report(_ event: NetEvent) {
        events.pass(.network(event))
    }

    /// What the node holds and has done.
    package var status: NodeStatus {
        get async {
            var lanes: [Platform: LaneStatus] = [:]
            for lane in self.lanes { lanes[lane.platform] = await lane.status }
            return NodeStatus(service: service.status, lanes: lanes, store: try? await store.statistics())
        }
    }

    private static func report(_ passage: TimeRecord.Passage, to report: @Sendable (NodeEvent) -> Void) {
        guard passage.isKnown else { return report(.machineRestarted(calendarMoved: passage.calendar)) }
        let step = passage.calendar - passage.counted
        guard step > CalendarWatch.tolerance || step < .zero - CalendarWatch.tolerance else { return }
        report(.clockStepped(by: step))
    }

    private static func check(_ configuration: NodeConfiguration) throws(NodeError) {
        guard !configuration.forwarders.isEmpty else { throw .noForwarder }
        let texts = configuration.texts
        guard texts.imageURL.isEmpty || ImageURL.isValid(texts.imageURL) else { throw .invalidImageURL(texts.imageURL) }
        let count = texts.title.utf8.count + texts.body.utf8.count + texts.imageURL.utf8.count
        guard count <= FCMMessage.roomForTexts else {
            throw .textsTooLong(limit: FCMMessage.roomForTexts, found: count)
        }
    }

    private static func lane<Provider: Forwarder>(
        _ platform: Platform, _ forwarder: Provider, _ store: any NodeStore, _ timeline: Timeline,
        _ configuration: NodeConfiguration, _ watch: NodeWatch, _ events: EventThrottle, _ outcomes: OutcomeLog
    ) -> any DeliveryLane {
        Lane(
            platform, forwarder: PunctualForwarder(forwarder, room: configuration.laneLimits.concurrentDeliveries),
            store: store, clock: timeline, limits: configuration.laneLimits, random: configuration.random,
            report: { events.pass($0) }, expiry: { watch.note($0, in: platform) }, outcomes: outcomes
        )
    }
}
