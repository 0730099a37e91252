import PushAPI

/// What can be wrong with a call.
public enum RefusalReason: String, Hashable, Sendable, CaseIterable {
    /// No call has this name.
    case unknownCall = "unknown_call"
    /// The request is no message of the call's type.
    case malformedRequest = "malformed_request"
    /// Something in the request is longer or more than the node takes.
    case limitExceeded = "limit_exceeded"
    /// A space key is no Ed25519 public key.
    case invalidSpaceKey = "invalid_space_key"
    /// The token or its platform can not be used.
    case invalidToken = "invalid_token"
    /// A topic's signature is wrong.
    case invalidTopicSignature = "invalid_topic_signature"
    /// A message's or an account's signature is wrong.
    case invalidSignature = "invalid_signature"
    /// A loud notification without a message.
    case missingMessage = "missing_message"
    /// The notification does not fit a provider's message.
    case notificationTooLarge = "notification_too_large"
    /// The caller makes such calls too often.
    case rateLimited = "rate_limited"
    /// The queue is full.
    case queueFull = "queue_full"
    /// The sender has its share of the queue.
    case queueShareFull = "queue_share_full"
    /// The store is full.
    case storeFull = "store_full"
    /// The store can not be used.
    case storeFailed = "store_failed"
    /// The caller has given the call up.
    case cancelled

    /// The push API's code, `nil` for those that it has none for.
    var code: PushErrorCode? {
        switch self {
        case .invalidTopicSignature: .invalidTopicSignature
        case .invalidSignature: .invalidSignature
        case .rateLimited, .queueFull, .queueShareFull, .storeFull, .storeFailed: .unexpected
        default: nil
        }
    }
}
