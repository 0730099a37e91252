public import ProtoWire
public import PushAPI

/// What a notification brings to a phone, whoever carries it there.
public struct NotificationContent: Hashable, Sendable {
    /// Whether the phone shows nothing: a notice to the sender's own devices.
    public var isSilent: Bool
    /// What groups the notifications of one chat; may be empty.
    public var groupId: WireString
    /// The sealed payload, its key id and its signature; `nil` when none was sent.
    public var message: NotifyRequest.Message?

    /// A notification's content; see the properties.
    public init(isSilent: Bool, groupId: WireString, message: NotifyRequest.Message?) {
        self.isSilent = isSilent
        self.groupId = groupId
        self.message = message
    }
}
