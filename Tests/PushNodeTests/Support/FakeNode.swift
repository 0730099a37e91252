import Locks
import ProtoWire
import PushAPI
import PushCrypto

@testable import PushNode

/// A push node in memory, which answers as told: late, wrong, or not at all.
///
/// No actor: a call is noted before its caller lets anything else run, so what was noted before was known to the
/// caller.
final class FakeNode: PushNodeCalls {
    enum Call: Equatable {
        case setToken(DeviceToken)
        case revokeToken
        case createSpace(PublicKey)
        case subscriptions
        case subscribeAll([SignedTopic])
        case keepingAll([SignedTopic], [SubscribedTopic])
        case unsubscribe([SignedTopic])

        var kind: Kind {
            switch self {
            case .setToken: .setToken
            case .revokeToken: .revokeToken
            case .createSpace: .createSpace
            case .subscriptions: .subscriptions
            case .subscribeAll: .subscribeAll
            case .keepingAll: .keepingAll
            case .unsubscribe: .unsubscribe
            }
        }
    }

    enum Kind: Hashable, CaseIterable {
        case setToken, revokeToken, createSpace, subscriptions, subscribeAll, keepingAll, unsubscribe
    }

    /// What becomes of a call.
    struct Reply {
        /// What the caller gets, `nil` for success.
        var error: PushNodeError?
        /// When it gets that; a caller that is cancelled before gets `.cancelled`.
        var delay = Duration.zero
        /// When the node carries the call out, counted from the call; `nil` for never.
        var landing: Duration? = .zero

        static let ok = Reply()
        /// Refused by the node, nothing carried out.
        static func failure(_ error: PushNodeError) -> Reply { Reply(error: error, landing: nil) }
        /// Never answered.
        static func silence(landing: Duration?) -> Reply { Reply(delay: .seconds(1_000_000), landing: landing) }
    }

    private struct State {
        var log: [Call] = []
        var token: DeviceToken?
        var topics: Set<SubscribedTopic> = []
        var spaces: Set<PublicKey> = []
        var scripted: [Kind: [Reply]] = [:]
        var decide: (@Sendable (Call) -> Reply)?
        var observe: (@Sendable (Call) -> Void)?
        var late: [UInt64: (call: Call, task: Task<Void, Never>)] = [:]
        var nextLate: UInt64 = 0
        var connection: UInt64 = 0

        mutating func carryOut(_ call: Call) {
            switch call {
            case .setToken(let new): token = new
            case .revokeToken: token = nil
            case .createSpace(let key): spaces.insert(key)
            case .subscriptions: break
            case .subscribeAll(let new): topics = Set(new.map(SubscribedTopic.init))
            case .keepingAll(let new, let kept): topics = Set(new.map(SubscribedTopic.init)).union(kept)
            case .unsubscribe(let gone): topics.subtract(gone.map(SubscribedTopic.init))
            }
        }

        mutating func takeReply(to call: Call) -> Reply {
            if scripted[call.kind]?.isEmpty == false, let reply = scripted[call.kind]?.removeFirst() { return reply }
            return decide?(call) ?? .ok
        }
    }

    private let clock: any Clock<Duration>
    private let state = SystemLock(State())

    init(clock: any Clock<Duration>) { self.clock = clock }

    /// The next calls of a kind get these replies, later ones succeed.
    func script(_ kind: Kind, _ replies: Reply...) { state.withLock { $0.scripted[kind, default: []] += replies } }
    /// Every call without a scripted reply gets one from here; `nil` makes them succeed.
    func decide(_ body: (@Sendable (Call) -> Reply)?) { state.withLock { $0.decide = body } }
    /// Sees every call before anything is done about it.
    func observe(_ body: (@Sendable (Call) -> Void)?) { state.withLock { $0.observe = body } }
    /// Forgets what a node that lost its disk forgets.
    /// Holds topics that somebody else has subscribed to.
    func hold(_ others: Set<SubscribedTopic>) { state.withLock { $0.topics.formUnion(others) } }
    func loseState() { state.withLock { ($0.token, $0.topics, $0.spaces) = (nil, [], []) } }

    var log: [Call] { state.withLock { $0.log } }
    var token: DeviceToken? { state.withLock { $0.token } }
    var topics: Set<SubscribedTopic> { state.withLock { $0.topics } }
    var spaces: Set<PublicKey> { state.withLock { $0.spaces } }
    func calls(_ kind: Kind) -> [Call] { log.filter { $0.kind == kind } }
    var sentSets: [[SignedTopic]] {
        log.compactMap { if case .subscribeAll(let topics) = $0 { topics } else { nil } }
    }

    /// Carries out at once, or loses, what is still on its way: its caller's connection is gone.
    func dropConnection(landing: Bool) async {
        let late = state.withLock { state in
            defer { state.late = [:] }
            let late = state.late.sorted { $0.key < $1.key }.map(\.value)
            if landing { for (call, _) in late { state.carryOut(call) } }
            return late
        }
        for (_, task) in late { task.cancel() }
        for (_, task) in late { await task.value }
    }

    func setToken(_ token: String, platform: Platform) async throws(PushNodeError) {
        try await answer(.setToken(DeviceToken(platform: platform, token: token)))
    }
    func revokeToken() async throws(PushNodeError) { try await answer(.revokeToken) }
    func createSpace(_ keys: SpacePushKeys) async throws(PushNodeError) {
        try await answer(.createSpace(keys.spaceKey.publicKey))
    }
    func subscribeAll(_ topics: [SignedTopic]) async throws(PushNodeError) { try await answer(.subscribeAll(topics)) }
    func subscriptions() async throws(PushNodeError) -> [SubscribedTopic] {
        try await answer(.subscriptions)
        return Array(topics)
    }

    func removeSpace(_ keys: SpacePushKeys) async throws(PushNodeError) { throw .failed(code: 0, text: "not expected") }
    func subscribe(_ topics: [SignedTopic]) async throws(PushNodeError) { throw .failed(code: 0, text: "not expected") }
    func unsubscribe(_ topics: [SignedTopic]) async throws(PushNodeError) { try await answer(.unsubscribe(topics)) }
    func subscribeAll(
        _ topics: [SignedTopic], keeping others: [SubscribedTopic]
    ) async throws(PushNodeError) { try await answer(.keepingAll(topics, others)) }
    func send(_ notification: OutgoingNotification) async throws(PushNodeError) {
        throw .failed(code: 0, text: "not expected")
    }

    private func answer(_ call: Call) async throws(PushNodeError) {
        let observe = state.withLock { state in
            state.log.append(call)
            return state.observe
        }
        observe?(call)
        let reply = state.withLock { state in
            let reply = state.takeReply(to: call)
            if let landing = reply.landing { land(call, after: landing, &state) }
            return reply
        }
        if reply.delay > .zero {
            do { try await clock.sleep(for: reply.delay) } catch { throw .cancelled }
        }
        if let error = reply.error { throw error }
    }

    func connect() async throws(PushNodeError) -> UInt64 { state.withLock { $0.connection } }
    /// Begins another connection and gives its number.
    func reconnect() -> UInt64 {
        state.withLock { state in
            state.connection += 1
            return state.connection
        }
    }

    private func land(_ call: Call, after delay: Duration, _ state: inout State) {
        guard delay > .zero else { return state.carryOut(call) }
        let clock = clock
        let id = state.nextLate
        state.nextLate += 1
        state.late[id] = (
            call,
            Task(executorPreference: OwnedTasks.executor) {
                guard (try? await clock.sleep(for: delay)) != nil else { return }
                self.state.withLock { state in
                    if state.late.removeValue(forKey: id) != nil { state.carryOut(call) }
                }
            }
        )
    }
}

extension SubscribedTopic {
    fileprivate init(_ signed: SignedTopic) {
        self.init(spaceKey: signed.spaceKey.rawRepresentation, name: signed.name)
    }
}
