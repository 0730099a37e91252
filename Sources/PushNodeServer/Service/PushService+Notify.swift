import ProtoWire
import PushAPI
import PushCrypto
import SQLiteStorage

extension PushService {
    /// Queues a notification for the subscribers of its topics, all but the caller's own account.
    ///
    /// A notification that reaches nobody is answered like any other and not kept: as the reference today, this node never
    /// says ``PushErrorCode/noValidTopics``, for a space need not be registered to be subscribed to.
    func notify(_ request: NotifyRequest, _ caller: Caller) async throws(Refusal) {
        let topics = try await verified(request.topics)
        guard let message = request.message else {
            throw Refusal(.missingMessage, "the request has no message; a notification without one is NotifySilent's")
        }
        try verify(message, caller)
        let content = NotificationContent(isSilent: false, groupId: request.groupId, message: message)
        try await accept(content, topics, caller)
    }

    /// Queues a notice for the caller's own devices: of its topics only the caller's own address counts.
    func notifySilent(_ request: NotifyRequest, _ caller: Caller) async throws(Refusal) {
        let topics = try await verified(request.topics)
        if let message = request.message { try verify(message, caller) }
        let own = TopicName.identity(caller.identity)
        let content = NotificationContent(isSilent: true, groupId: request.groupId, message: request.message)
        try await accept(content, topics.filter { $0.name == own }, caller)
    }

    private func verify(_ message: NotifyRequest.Message, _ caller: Caller) throws(Refusal) {
        guard caller.identity.isValidSignature(message.signature, for: message.payload) else {
            throw Refusal(.invalidSignature, "the message's signature is not the caller's over its payload")
        }
    }

    private func accept(
        _ content: NotificationContent, _ topics: [TopicKey], _ caller: Caller
    ) async throws(Refusal) {
        guard !topics.isEmpty else { return count { $0.reachedNobody += 1 } }
        let byteCount = FCMMessage.largestByteCount(of: content, texts: delivery.texts)
        guard byteCount <= ProviderBudget.messageByteCount else {
            throw Refusal(
                .notificationTooLarge,
                """
                the notification takes \(byteCount) bytes of a provider's message with this node's default texts, \
                the limit is \(ProviderBudget.messageByteCount); shorten the payload
                """
            )
        }
        let now = clock.now
        let notification = IncomingNotification(
            topics: topics, sender: caller.identity, content: content, acceptedAt: now,
            expiresAt: now.advanced(by: delivery.lifetime), lanes: delivery.lanes
        )
        let acceptance = try await stored { () async throws(StoreError) in
            try await store.accept(notification, limits: limits.queue)
        }
        switch acceptance {
        case .queued(let queued):
            count { $0.accepted += 1 }
            await delivery.queued(queued)
        case .repeated:
            // Its caller had no answer the first time.
            count { $0.repeated += 1 }
        case .reachesNobody:
            count { $0.reachedNobody += 1 }
        case .queueFull:
            throw Refusal(
                .queueFull,
                "\(limits.queuedNotifications) notifications are queued, which is the limit; try again later"
            )
        case .shareFull:
            throw Refusal(.queueShareFull, "the account has its share of the queue; try again later")
        }
    }
}
