/// The calls of the push API, service `pushproto.Push`: all unary (protocol.md §4). One more is our own.
public enum PushRPC: String, CaseIterable, Sendable {
    /// Registers the caller's device token. ``SetTokenRequest`` → ``Ok``.
    case setToken = "/pushproto.Push/SetToken"
    /// Forgets the caller's device token. ``Ok`` → ``Ok``.
    case revokeToken = "/pushproto.Push/RevokeToken"
    /// Registers a space. ``SpaceRequest`` → ``Ok``.
    case createSpace = "/pushproto.Push/CreateSpace"
    /// Forgets a space. ``SpaceRequest`` → ``Ok``.
    case removeSpace = "/pushproto.Push/RemoveSpace"
    /// Lists the caller's topics. ``Ok`` → ``TopicsMessage``.
    case subscriptions = "/pushproto.Push/Subscriptions"
    /// Replaces the caller's topics, as the reference does. ``TopicsMessage`` → ``Ok``.
    case subscribe = "/pushproto.Push/Subscribe"
    /// Takes topics away from the caller's. ``TopicsMessage`` → ``Ok``.
    case unsubscribe = "/pushproto.Push/Unsubscribe"
    /// Replaces the caller's topics. ``TopicsMessage`` → ``Ok``.
    case subscribeAll = "/pushproto.Push/SubscribeAll"
    /// Publishes a notification that is shown. ``NotifyRequest`` → ``Ok``.
    case notify = "/pushproto.Push/Notify"
    /// Publishes a notification to the caller's own devices that is not shown. ``NotifyRequest`` → ``Ok``.
    case notifySilent = "/pushproto.Push/NotifySilent"
    /// Tells what became of the last notifications to the caller's device. ``Ok`` → ``OutcomesMessage``. Ours, outside the
    /// reference's ten, which refuses it as any call that it does not know.
    case outcomes = "/anypush.Push/Outcomes"
}

/// The error codes of the push API (protocol.md §4, "RPC error codes").
public enum PushErrorCode: UInt64, Sendable {
    /// Something went wrong inside the node.
    case unexpected = 1200
    /// A message's or an account's signature is wrong.
    case invalidSignature = 1201
    /// A topic's signature is wrong; the whole request was refused.
    case invalidTopicSignature = 1202
    /// The space is registered already.
    case spaceExists = 1203
    /// No topic of the request is known to the node.
    case noValidTopics = 1204
}

extension PushErrorCode: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unexpected: "something went wrong inside it"
        case .invalidSignature: "a signature is wrong"
        case .invalidTopicSignature: "a topic's signature is wrong"
        case .spaceExists: "the space is registered already"
        case .noValidTopics: "it knows no topic of the request"
        }
    }
}
