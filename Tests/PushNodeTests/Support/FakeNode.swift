import ProtoWire
import PushCrypto
import PushNode

/// A push node in memory, which answers as told: late, wrong, or not at all.
actor FakeNode: PushNodeCalls {
    enum Call: Equatable {
        case setToken(DeviceToken)
        case revokeToken
        case createSpace(PublicKey)
        case subscriptions
        case subscribeAll([SignedTopic])

        var kind: Kind {
            switch self {
            case .setToken: .setToken
            case .revokeToken: .revokeToken
            case .createSpace: .createSpace
            case .subscriptions: .subscriptions
            case .subscribeAll: .subscribeAll
            }
        }
    }

    enum Kind: Hashable, CaseIterable {
        case setToken, revokeToken, createSpace, subscriptions, subscribeAll
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

    private(set) var log: [Call] = []
    private(set) var token: DeviceToken?
    private(set) var topics: Set<SubscribedTopic> = []
    private(set) var spaces: Set<PublicKey> = []

    private let clock: any Clock<Duration>
    private var scripted: [Kind: [Reply]] = [:]
    private var decide: (@Sendable (Call) -> Reply)?
    private var observe: (@Sendable (Call) -> Void)?
    private var late: [Task<Void, Never>] = []

    init(clock: any Clock<Duration>) { self.clock = clock }

    /// The next calls of a kind get these replies, later ones succeed.
    func script(_ kind: Kind, _ replies: Reply...) { scripted[kind, default: []] += replies }
    /// Every call without a scripted reply gets one from here; `nil` makes them succeed.
    func decide(_ body: (@Sendable (Call) -> Reply)?) { decide = body }
    /// Sees every call before anything is done about it.
    func observe(_ body: @escaping @Sendable (Call) -> Void) { observe = body }
    /// Forgets what a node that lost its disk forgets.
    func loseState() { (token, topics, spaces) = (nil, [], []) }

    func calls(_ kind: Kind) -> [Call] { log.filter { $0.kind == kind } }
    var sentSets: [[SignedTopic]] {
        log.compactMap { if case .subscribeAll(let topics) = $0 { topics } else { nil } }
    }

    /// Carries out, or loses, what is still on its way.
    func settle() async {
        for task in late { task.cancel() }
        for task in late { await task.value }
        late = []
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
    func unsubscribe(_ topics: [SignedTopic]) async throws(PushNodeError) { throw .failed(code: 0, text: "not expected") }
    func send(_ notification: OutgoingNotification) async throws(PushNodeError) {
        throw .failed(code: 0, text: "not expected")
    }

    private func answer(_ call: Call) async throws(PushNodeError) {
        log.append(call)
        observe?(call)
        let reply = takeReply(to: call)
        if let landing = reply.landing { land(call, after: landing) }
        if reply.delay > .zero {
            do { try await clock.sleep(for: reply.delay) } catch { throw .cancelled }
        }
        if let error = reply.error { throw error }
    }

    private func takeReply(to call: Call) -> Reply {
        if scripted[call.kind]?.isEmpty == false, let reply = scripted[call.kind]?.removeFirst() { return reply }
        return decide?(call) ?? .ok
    }

    private func land(_ call: Call, after delay: Duration) {
        guard delay > .zero else { return carryOut(call) }
        let clock = clock
        late.append(
            Task {
                guard (try? await clock.sleep(for: delay)) != nil else { return }
                self.carryOut(call)
            }
        )
    }

    private func carryOut(_ call: Call) {
        switch call {
        case .setToken(let new): token = new
        case .revokeToken: token = nil
        case .createSpace(let key): spaces.insert(key)
        case .subscriptions: break
        case .subscribeAll(let new):
            topics = Set(new.map { SubscribedTopic(spaceKey: $0.spaceKey.rawRepresentation, name: $0.name) })
        }
    }
}
