import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer

/// Matching and handing over to all subscribers of a space, and whether a crowded one holds up another.
enum FanOutPath {
    private static let few = 10_000
    private static let many = 100_000
    /// What one of them is to take.
    private static let microsecondsEach = 8.0

    static func run(_ report: inout Report) async throws {
        let small = try await Crowd(count: few)
        let large = try await Crowd(count: many)
        var perFew = Sample()
        var perMany = Sample()
        var other = Sample()
        for _ in 0..<3 {
            perFew.add(try await small.publish() / Double(few))
            let (crowd, neighbour) = try await large.publishBesideNeighbour()
            perMany.add(crowd / Double(many))
            other.add(neighbour)
        }
        report.add(Row(name: "fan-out: one of \(many)", perMany, over: perFew.median, "one of \(few)", budget: 1.5))
        var each = Row(
            name: "fan-out: each subscriber", median: perMany.median / 1000, p95: perMany.p95 / 1000,
            base: microsecondsEach, baseName: "goal", budget: 1
        )
        each.isGoal = true
        report.add(each)
        // A stall would be as long as the crowd's own fan-out; a turn of others is a small part of it.
        let whole = perMany.median * Double(many)
        report.add(Row(name: "fan-out: another space meanwhile", other, over: whole, "the crowd's", budget: 0.1))
        await small.stop()
        await large.stop()
    }
}

/// A node without network whose one space has so many subscribers, and another space with one.
private actor Crowd {
    private let directory: BenchDirectory
    private let core: NodeCore
    private let forwarder = CountingForwarder()
    private let sender = BenchSender()
    private let neighbour = BenchSender()
    private let count: Int

    init(count: Int) async throws {
        self.count = count
        directory = try BenchDirectory()
        let path = directory.path + "/node.db"
        let (store, start) = try await SQLiteStore.open(
            path: path, clock: SystemClock(), QueueRecovery(lanes: [.android]))
        let topic = TopicKey(spaceKey: sender.keys.spaceKey.publicKey.rawRepresentation, name: TopicName.chats)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<64 {
                group.addTask {
                    for number in stride(from: worker, to: count, by: 64) {
                        try await Self.subscribe("crowd-\(number)", to: topic, store, start.timeline)
                    }
                }
            }
            try await group.waitForAll()
        }
        let other = TopicKey(spaceKey: neighbour.keys.spaceKey.publicKey.rawRepresentation, name: TopicName.chats)
        try await Self.subscribe("neighbour", to: other, store, start.timeline)
        await store.close()
        core = try await NodeCore.start(NodeConfiguration(storePath: path, forwarders: [.android: forwarder]))
    }

    private static func subscribe(
        _ token: String, to topic: TopicKey, _ store: SQLiteStore, _ clock: Timeline
    ) async throws {
        let caller = Caller(identity: SigningKey().publicKey, peerId: PeerId(publicKey: SigningKey().publicKey))
        _ = try await store.setToken(
            WireString(token), platform: .android, of: caller, at: clock.now, limit: 8, accountLimit: 8)
        _ = try await store.replaceTopics(of: caller.identity, by: [topic], permit: { _ in true })
    }

    /// The time from a Notify to the last subscriber's delivery, in nanoseconds.
    func publish() async throws -> Double {
        let start = Meter.wallTime()
        let target = await forwarder.delivered + count
        try await notify(sender)
        await forwarder.reached(target)
        return Meter.wallTime() - start
    }

    /// The same, and the time that a notification of the other space takes meanwhile.
    func publishBesideNeighbour() async throws -> (crowd: Double, neighbour: Double) {
        let start = Meter.wallTime()
        let target = await forwarder.delivered + count + 1
        try await notify(sender)
        let begun = Meter.wallTime()
        try await notify(neighbour)
        await forwarder.neighbourReached()
        let other = Meter.wallTime() - begun
        await forwarder.reached(target)
        return (Meter.wallTime() - start, other)
    }

    func stop() async {
        await core.stop(drain: .seconds(10))
        directory.remove()
    }

    private func notify(_ sender: BenchSender) async throws {
        let caller = Caller(
            identity: sender.account.publicKey, peerId: PeerId(publicKey: sender.account.publicKey)
        )
        let request = try sender.notification().request.encoded()
        _ = try await core.service.handle(PushRPC.notify.rawValue, request: request, caller: caller)
    }
}

/// A provider that takes everything at once.
actor CountingForwarder: Forwarder {
    private(set) var delivered = 0
    private var neighbourDelivered = false
    private var waiters: [(target: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private var neighbourWaiter: CheckedContinuation<Void, Never>?

    struct Message: Sendable {}

    nonisolated func message(
        _ content: NotificationContent, for platform: Platform
    ) throws(PayloadFault) -> Message {
        Message()
    }

    func deliver(_ message: Message, _ delivery: Delivery) async -> DeliveryOutcome {
        delivered += 1
        if delivery.token == "neighbour" {
            neighbourDelivered = true
            neighbourWaiter?.resume()
            neighbourWaiter = nil
        }
        for waiter in waiters where waiter.target <= delivered { waiter.continuation.resume() }
        waiters.removeAll { $0.target <= delivered }
        return .delivered
    }

    /// Waits until so many deliveries were taken.
    func reached(_ target: Int) async {
        guard delivered < target else { return }
        await withCheckedContinuation { waiters.append((target, $0)) }
    }

    /// Waits for the next delivery to the other space's subscriber.
    func neighbourReached() async {
        if !neighbourDelivered { await withCheckedContinuation { neighbourWaiter = $0 } }
        neighbourDelivered = false
    }
}
