public import ProtoWire
public import PushAPI

/// A notification on its way to one device.
public struct Delivery: Hashable, Sendable {
    /// The delivery's number in the store.
    package let id: Int64
    /// The notification's number at this node: the same for all its devices and tries, never used twice.
    public let notification: Int64
    /// The device's kind.
    public let platform: Platform
    /// The provider's token for the app on the device. A secret: it must not be logged.
    public let token: WireString
    /// How often it was tried before.
    public let attempts: Int
    /// When it is no longer worth bringing.
    public let expiresAt: NodeTime
    /// Whose device it is; `nil` when that is not known.
    package let device: DeviceKey?

    /// A delivery; see the properties.
    package init(
        id: Int64, notification: Int64, platform: Platform, token: WireString, attempts: Int, expiresAt: NodeTime,
        device: DeviceKey? = nil
    ) {
        self.id = id
        self.notification = notification
        self.platform = platform
        self.token = token
        self.attempts = attempts
        self.expiresAt = expiresAt
        self.device = device
    }
}

extension Delivery: CustomStringConvertible, CustomDebugStringConvertible {
    /// The numbers only, never the token.
    public var description: String {
        "delivery \(id) of notification \(notification), \(attempts) tries so far"
    }

    public var debugDescription: String { description }
}
