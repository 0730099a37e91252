import ProtoWire
package import PushAPI
package import PushCrypto

/// A notification that was found good.
package struct IncomingNotification: Sendable {
    /// Where it is published, at least one topic.
    package let topics: [TopicKey]
    /// The account that published it: left out when it is loud, the only one reached when it is silent.
    package let sender: PublicKey
    /// What to bring to the phones.
    package let content: NotificationContent
    /// When it was sent.
    package var acceptedAt: NodeTime
    /// When it is no longer worth bringing.
    package var expiresAt: NodeTime
    /// The platforms that there is a lane for.
    package var lanes: [Platform]
    /// What it takes of the queue: a notification with many topics or a large message takes the places of several.
    package let places: Int
    /// Its topics as they are stored, see ``QueuedTopics``.
    let storedTopics: [UInt8]
    /// By what it is known when it comes again. All three are worked out by whoever makes the value, not by the store, where
    /// everybody waits for one another.
    package let repeatKey: RepeatKey?

    // A message that a provider takes and a handful of topics fit one place.
    private static let bytesPerPlace = 8192

    /// A notification; see the properties.
    package init(
        topics: [TopicKey], sender: PublicKey, content: NotificationContent, acceptedAt: NodeTime, expiresAt: NodeTime,
        lanes: [Platform]
    ) {
        self.acceptedAt = acceptedAt
        self.topics = topics
        self.sender = sender
        self.content = content
        self.expiresAt = expiresAt
        self.lanes = lanes
        let message = content.message.map { $0.keyId.bytes.count + $0.payload.count + $0.signature.count } ?? 0
        let topicBytes = topics.reduce(0) { $0 + $1.byteCount }
        places = 1 + (content.groupId.bytes.count + message + topicBytes) / Self.bytesPerPlace
        storedTopics = QueuedTopics.encoded(topics)
        repeatKey = RepeatKey(content, from: sender, to: topics)
    }
}

/// What accepting a notification came to.
package enum Acceptance: Hashable, Sendable {
    /// It is kept, and will be brought to its subscribers whatever happens.
    case queued(QueuedNotification)
    /// The same was accepted before and its time is not over: it is kept, or was brought already.
    case repeated
    /// Nobody is subscribed to any of its topics; nothing was kept.
    case reachesNobody
    /// As many are queued as may be; nothing was kept.
    case queueFull
    /// The sender has as many in the queue as one may have now; nothing was kept.
    case shareFull
}

/// A notification in the queue.
package struct QueuedNotification: Hashable, Sendable {
    /// Its number in this store, in the order of acceptance; never used twice.
    package let id: Int64
    /// Who sent it: senders take turns.
    package let sender: SenderTag
    /// The space of its first topic: notifications of one space wait for one another, spaces do not.
    package let space: [UInt8]
}

/// The next subscribers of a notification.
package struct Match: Sendable {
    /// What to bring.
    package var content: NotificationContent
    /// To which devices.
    package var deliveries: [Delivery]
    /// Whether there are no further subscribers in this lane.
    package var isLast: Bool
    /// Whether the notification has expired, and nobody else gets it.
    package var isExpired: Bool
    /// What the step took, in devices matched: other work is reckoned as so many of them.
    package var cost = 1
}

/// Deliveries that are tried again.
package struct DueDeliveries: Sendable {
    /// The deliveries, with what to bring.
    package var deliveries: [(content: NotificationContent, delivery: Delivery)]
    /// How many were dropped because they had expired.
    package var expired: Int
    /// How many were dropped because their device has been revoked or its token dropped.
    package var withoutDevice: Int
}

/// What became of a delivery.
package struct DeliveryResult: Sendable {
    /// The delivery.
    package let delivery: Delivery
    /// What to do about it.
    package let verdict: Verdict

    /// What to do about a delivery that was tried.
    package enum Verdict: Hashable, Sendable {
        /// It is over: delivered, given up or expired.
        case done
        /// It is over, and the token with it unless it was set again since.
        case tokenGone(since: NodeTime)
        /// It is tried again.
        case retry(at: NodeTime)
    }
}
