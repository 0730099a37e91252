public import PushAPI

/// What a phone's app gets from its provider, and what the node needs to reach the phone.
///
/// The token is a credential: it leaves this value through its field only, never through a description or a mirror.
public struct DeviceToken: Hashable, Sendable {
    /// The longest token in bytes of UTF-8 (``PushAPI/SetTokenRequest/maximumTokenByteCount``).
    public static let maximumByteCount = SetTokenRequest.maximumTokenByteCount

    /// The phone's kind.
    public let platform: Platform
    /// The provider's token for the app on the phone.
    public let token: String

    /// A token; see the properties.
    public init(platform: Platform, token: String) {
        self.platform = platform
        self.token = token
    }
}

extension DeviceToken: CustomStringConvertible, CustomReflectable {
    /// The platform only.
    public var description: String { "DeviceToken(\(platform.name ?? "platform \(platform.rawValue)"))" }

    public var customMirror: Mirror { Mirror(self, children: ["platform": platform], displayStyle: .struct) }
}
