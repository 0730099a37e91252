import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

/// A push service over a store of its own, without lanes.
struct TestService {
    let test: TestStore
    let service: PushService
    let clock = TestClock()
    let outcomes: OutcomeLog
    private let queuedLog = Log()

    private final class Log: Sendable {
        let entries = SystemLock<[QueuedNotification]>([])
        let failures = SystemLock<[StoreError]>([])
    }

    init(
        limits: ServiceLimits = ServiceLimits(), texts: DefaultTexts = DefaultTexts(),
        store: StoreLimits = .bytes(1 << 30)
    ) async throws {
        test = try await TestStore(limits: store)
        let log = queuedLog
        outcomes = OutcomeLog(capacity: limits.outcomeDevices, now: clock.timeline.now)
        service = PushService(
            store: test.store, clock: clock.timeline, limits: limits,
            delivery: PushService.DeliverySettings(
                texts: texts, lifetime: .seconds(3600), lanes: [.ios, .android],
                queued: { queued in log.entries.withLock { $0.append(queued) } },
                storeFailed: { error in log.failures.withLock { $0.append(error) } }
            ),
            outcomes: outcomes
        )
    }

    /// What was queued so far.
    var queued: [QueuedNotification] { queuedLog.entries.withLock { $0 } }
    var storeFailures: [StoreError] { queuedLog.failures.withLock { $0 } }

    /// Makes a call and hands back the answer's bytes.
    @discardableResult
    func call(_ rpc: PushRPC, _ request: some PushMessage, as member: Member) async throws(Refusal) -> [UInt8] {
        try await service.handle(rpc.rawValue, request: request.encoded(), caller: member.caller)
    }

    /// Makes a call that must be refused, and hands back why.
    func refusal(_ rpc: PushRPC, _ request: some PushMessage, as member: Member) async -> Refusal? {
        await refusal(rpc.rawValue, request.encoded(), as: member)
    }

    func refusal(_ rpc: String, _ request: [UInt8], as member: Member) async -> Refusal? {
        do throws(Refusal) {
            let answer = try await service.handle(rpc, request: request, caller: member.caller)
            Issue.record("\(rpc) was answered with \(answer.count) bytes")
            return nil
        } catch {
            return error
        }
    }

    func topics(of member: Member) async throws -> [Topic] {
        let answer = try await call(.subscriptions, SubscriptionsRequest(), as: member)
        return try TopicsMessage(bytes: answer).topics?.topics ?? []
    }

    /// The tokens that the last queued notification goes to.
    func tokens(in lane: Platform = .ios) async throws -> [String] {
        try await test.tokens(of: try #require(queued.last), in: lane)
    }
}
