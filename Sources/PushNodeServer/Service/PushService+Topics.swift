import ProtoWire
import PushAPI
import PushCrypto
import SQLiteStorage

extension PushService {
    /// The caller's topics, without signatures, as the bytes of a `TopicsMessage`: calls of one account at the same time share
    /// them, for they may be hundreds of kilobytes.
    func subscriptions(_ request: SubscriptionsRequest, _ caller: Caller) async throws(Refusal) -> [UInt8] {
        try await subscriptionAnswers.answer(to: caller.identity) { () async throws(Refusal) in
            let topics = try await stored { () async throws(StoreError) in try await store.topics(of: caller.identity) }
            return TopicsMessage(topics: Topics(topics.map { Topic(spaceKey: $0.spaceKey, topic: $0.name) })).encoded()
        }
    }

    /// Replaces the caller's topics: Subscribe as well as SubscribeAll. None at all takes every topic away.
    ///
    /// Topics that stand for other accounts are left out without a word: whoever holds a space's key could have itself
    /// told who is mentioned. Clients ask for their own alone.
    ///
    /// A topic that the caller holds already may come with the word `held` for a signature, and stays: so a device can
    /// leave alone what another device of its account has, whose keys it lacks. The reference refuses such a request.
    func replaceTopics(_ request: TopicsMessage, _ caller: Caller) async throws(Refusal) {
        let topics = try await verified(request.topics, heldBy: caller)
        let byteCount = topics.reduce(0) { $0 + $1.byteCount }
        guard byteCount <= limits.topicBytesPerAccount else {
            throw Refusal(
                .limitExceeded,
                "the topics have \(byteCount) bytes of keys and names, the limit is \(limits.topicBytesPerAccount)"
            )
        }
        let own = TopicName.identity(caller.identity)
        let wanted = topics.filter { $0.ending.elementsEqual(own.bytes) || $0.account == nil }
        if wanted.count < topics.count { count { $0.foreignTopics += UInt64(topics.count - wanted.count) } }
        let permit = changePermit(caller)
        try permitted(
            await stored { () async throws(StoreError) in
                try await store.replaceTopics(of: caller.identity, by: wanted, permit: permit)
            })
    }

    /// Takes topics from the caller's; those it does not have are fine.
    func unsubscribe(_ request: TopicsMessage, _ caller: Caller) async throws(Refusal) {
        let topics = try await verified(request.topics)
        guard !topics.isEmpty else { return }
        let permit = changePermit(caller)
        try permitted(
            await stored { () async throws(StoreError) in
                try await store.removeTopics(topics, of: caller.identity, permit: permit)
            })
    }

    private func verified(_ topics: Topics?, heldBy caller: Caller) async throws(Refusal) -> [TopicKey] {
        let all = topics?.topics ?? []
        let named = all.filter { $0.signature == Topic.held }
        guard !named.isEmpty else { return try await verified(topics) }
        let held = Set(try await stored { () async throws(StoreError) in try await store.topics(of: caller.identity) })
        let kept = named.map { TopicKey(spaceKey: $0.spaceKey, name: $0.topic) }
        guard kept.allSatisfy(held.contains) else {
            throw Refusal(.invalidTopicSignature, "a topic is said to be held, and the account does not hold it")
        }
        return try await verified(Topics(all.filter { $0.signature != Topic.held })) + kept
    }

    /// Bounds and checks a request's topics; without the field there are none.
    func verified(_ topics: Topics?) async throws(Refusal) -> [TopicKey] {
        let topics = topics?.topics ?? []
        for (index, topic) in topics.enumerated() where topic.topic.bytes.count > limits.topicNameBytes {
            throw Refusal(
                .limitExceeded,
                "topic \(index) has a name of \(topic.topic.bytes.count) bytes, the limit is \(limits.topicNameBytes)"
            )
        }
        return try await verifier.verify(topics)
    }

    // Asked where the change is made: calls at the same time can not all be granted what only one may have.
    private func changePermit(_ caller: Caller) -> TopicPermit {
        let account = SenderTag(caller.identity)
        return { [rates] count in rates.takeTopicChanges(count, of: account) }
    }

    private func permitted(_ isPermitted: Bool) throws(Refusal) {
        guard !isPermitted else { return }
        throw Refusal(
            .rateLimited,
            "too many topics changed: \(limits.rates.topicChanges.perSecond) a second are taken; try again in a minute"
        )
    }
}
