public import PushAPI

/// Brings notifications to phones by way of one provider.
///
/// A forwarder is asked for many deliveries at once and answers each when its outcome is known, so that a slow device or
/// destination holds up nobody else. It must answer within ``DeliveryOutcome/deadline`` and soon after its task was
/// cancelled, and it must not wait between tries: the node does that.
public protocol Forwarder: Sendable {
    /// What is made of a notification once for all devices of a platform.
    associatedtype Message: Sendable

    /// The provider's name, which the servers of the devices are told.
    var providerName: ProviderName { get }

    /// Builds the provider's message.
    ///
    /// - Throws: ``PayloadFault`` when the provider would not take it, whatever the device.
    func message(_ content: NotificationContent, for platform: Platform) throws(PayloadFault) -> Message

    /// Brings a message to one device.
    func deliver(_ message: Message, _ delivery: Delivery) async -> DeliveryOutcome
}

extension Forwarder {
    public var providerName: ProviderName { "provider" }
}

/// Why a provider does not take a notification for any device.
public struct PayloadFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, without any of the notification's contents.
    public let reason: String

    /// A fault.
    public init(reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}

/// What came of one try to bring a notification to a device.
public enum DeliveryOutcome: Hashable, Sendable {
    /// The provider has it.
    case delivered
    /// The provider says that this token is no longer anybody's. Only this drops a token.
    case tokenGone
    /// The provider does not take this notification. It is given up; the token stays.
    case payloadFault
    /// Not now: the same try may succeed later. `after` is how long the provider asks to wait, `nil` to leave it to the node.
    case retry(after: Duration?, cause: RetryCause = .unavailable)
    /// The node is set up wrongly for the provider: nothing can be delivered until someone looks. Tokens stay.
    case misconfigured

    /// How long a forwarder may take over one delivery.
    public static let deadline = Duration.seconds(30)
}

/// Why a try is to be made again.
public enum RetryCause: Hashable, Sendable {
    /// The provider does not answer, or has no time.
    case unavailable
    /// The disk that it writes to is full.
    case diskFull
}
