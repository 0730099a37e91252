import Locks
import ProtoWire
package import PushAPI
import PushCrypto
package import SQLiteStorage

/// Answers the calls of the push API (protocol.md §4).
///
/// What a caller proves in the handshakes is who it is; everything in a request is checked here, and bounded before it is
/// stored.
package final class PushService: Sendable {
    let store: any NodeStore
    let verifier: TopicVerifier
    let clock: Timeline
    let limits: ServiceLimits
    let delivery: DeliverySettings
    let rates: CallRateLimiter
    let subscriptionAnswers = SharedAnswers<PublicKey, [UInt8], Refusal>()
    let outcomes: OutcomeLog?
    private let counters = SystemLock(ServiceStatus())

    /// How accepted notifications are handled.
    package struct DeliverySettings: Sendable {
        /// The node's default texts, which take room in a provider's message.
        package var texts: DefaultTexts
        /// How long a notification is worth delivering.
        package var lifetime: Duration
        /// The platforms that there is a lane for.
        package var lanes: [Platform]
        /// Is told of each notification that was queued.
        package var queued: @Sendable (QueuedNotification) async -> Void
        /// Is told when the store failed.
        package var storeFailed: @Sendable (StoreError) -> Void

        /// Settings; see the properties.
        package init(
            texts: DefaultTexts, lifetime: Duration, lanes: [Platform],
            queued: @escaping @Sendable (QueuedNotification) async -> Void,
            storeFailed: @escaping @Sendable (StoreError) -> Void
        ) {
            self.texts = texts
            self.lifetime = lifetime
            self.lanes = lanes
            self.queued = queued
            self.storeFailed = storeFailed
        }
    }

    /// - Parameters:
    ///   - store: where devices, spaces, topics and notifications are kept.
    ///   - clock: times what is stored.
    ///   - outcomes: what became of the last deliveries; without it nobody is told.
    package init(
        store: any NodeStore, clock: Timeline, limits: ServiceLimits, delivery: DeliverySettings,
        outcomes: OutcomeLog? = nil
    ) {
        self.store = store
        self.clock = clock
        self.limits = limits
        self.delivery = delivery
        self.outcomes = outcomes
        rates = CallRateLimiter(limits.rates, clock: clock)
        verifier = TopicVerifier(capacity: limits.verifiedTopics)
    }

    /// Answers one call, on the pool of Swift's tasks whoever calls.
    ///
    /// - Parameters:
    ///   - rpc: the full name, such as `/pushproto.Push/Notify`.
    ///   - request: the request message, of a length that the transport has bounded.
    ///   - caller: who asks.
    /// - Returns: the response message.
    /// - Throws: ``Refusal``.
    @concurrent
    package func handle(_ rpc: String, request: [UInt8], caller: Caller) async throws(Refusal) -> [UInt8] {
        do throws(Refusal) {
            guard let call = PushRPC(rawValue: rpc) else {
                throw Refusal(.unknownCall, "unknown call; this node answers the calls of pushproto.Push")
            }
            try rates.admit(call, caller)
            let response = try await answer(call, request, caller)
            counters.withLock { $0.answered[call, default: 0] += 1 }
            return response
        } catch {
            counters.withLock { $0.refused[error.reason, default: 0] += 1 }
            throw error
        }
    }

    /// What the service has done.
    package var status: ServiceStatus {
        var status = counters.withLock { $0 }
        let (topics, remembered) = verifier.status
        status.topicsRemembered = remembered
        status.topicHits = topics.hits
        status.topicMisses = topics.misses
        return status
    }

    func count(_ change: (inout ServiceStatus) -> Void) {
        counters.withLock { change(&$0) }
    }

    private func answer(_ call: PushRPC, _ request: [UInt8], _ caller: Caller) async throws(Refusal) -> [UInt8] {
        switch call {
        case .setToken: try await setToken(decode(request), caller)
        case .revokeToken: try await revokeToken(decode(request), caller)
        case .createSpace: try await createSpace(decode(request), caller)
        case .removeSpace: try await removeSpace(decode(request), caller)
        case .subscriptions: return try await subscriptions(decode(request), caller)
        case .outcomes: return try outcomes(decode(request), caller).encoded()
        case .subscribe, .subscribeAll:
            try await replaceTopics(decode(request, topics: limits.topicsPerAccount), caller)
        case .unsubscribe:
            try await unsubscribe(decode(request, topics: limits.topicsPerAccount), caller)
        case .notify:
            try await notify(decode(request, topics: limits.topicsPerNotification), caller)
        case .notifySilent:
            try await notifySilent(decode(request, topics: limits.topicsPerNotification), caller)
        }
        return Ok().encoded()
    }

    /// Reads a request.
    private func decode<Message: PushMessage>(_ request: [UInt8]) throws(Refusal) -> Message {
        try wellFormed { () throws(ProtoError) in try Message(bytes: request) }
    }

    /// Reads a request with topics, of which it may have so many.
    private func decode<Message: PushMessage>(_ request: [UInt8], topics limit: Int) throws(Refusal) -> Message {
        let count = try wellFormed { () throws(ProtoError) in try TopicCount.topics(in: request) }
        guard count <= limit else {
            throw Refusal(.limitExceeded, "the request has \(count) topics, the limit is \(limit)")
        }
        return try decode(request)
    }

    private func wellFormed<T>(_ read: () throws(ProtoError) -> T) throws(Refusal) -> T {
        do throws(ProtoError) {
            return try read()
        } catch {
            throw Refusal(.malformedRequest, "the request is no message of this call: \(error)")
        }
    }

    /// Uses the store; callers learn that it failed, the operator's log learns how.
    func stored<T>(_ body: () async throws(StoreError) -> T) async throws(Refusal) -> T {
        do throws(StoreError) {
            return try await body()
        } catch {
            delivery.storeFailed(error)
            if case .full = error { throw Refusal(.storeFull, "the node's store is full; try again later") }
            throw Refusal(.storeFailed, "the node can not use its store now; try again later")
        }
    }
}
