import ProtoWire
import PushNode
import SQLiteStorage

extension PushService {
    /// The caller's topics, without signatures.
    func subscriptions(_ request: SubscriptionsRequest, _ caller: Caller) async throws(Refusal) -> TopicsMessage {
        let topics = try await stored { () async throws(StoreError) in try await store.topics(of: caller.identity) }
        return TopicsMessage(topics: Topics(topics.map { Topic(spaceKey: $0.spaceKey, topic: $0.name) }))
    }

    /// Replaces the caller's topics: Subscribe as well as SubscribeAll. None at all takes every topic away.
    func replaceTopics(_ request: TopicsMessage, _ caller: Caller) async throws(Refusal) {
        let topics = try await verified(request.topics)
        try await stored { () async throws(StoreError) in
            try await store.replaceTopics(of: caller.identity, by: topics)
        }
    }

    /// Takes topics from the caller's; those it does not have are fine.
    func unsubscribe(_ request: TopicsMessage, _ caller: Caller) async throws(Refusal) {
        let topics = try await verified(request.topics)
        guard !topics.isEmpty else { return }
        try await stored { () async throws(StoreError) in
            try await store.removeTopics(topics, of: caller.identity)
        }
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
}
