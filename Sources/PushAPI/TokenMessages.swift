public import ProtoWire

/// The kind of phone that a token belongs to; an open enum, as protobuf enums are.
public struct Platform: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// iOS, 0.
    public static let ios = Platform(rawValue: 0)
    /// Android, 1.
    public static let android = Platform(rawValue: 1)

    /// `ios` or `android`, `nil` for a platform that nobody knows.
    public var name: String? {
        switch self {
        case .ios: "ios"
        case .android: "android"
        default: nil
        }
    }

    /// The platform of a ``name``.
    public init?(name: String) {
        switch name {
        case "ios": self = .ios
        case "android": self = .android
        default: return nil
        }
    }
}

/// The request of SetToken.
public struct SetTokenRequest: PushMessage {
    /// The phone's kind.
    public var platform: Platform
    /// The provider's token for the app on the phone.
    public var token: WireString

    /// The longest token in bytes of UTF-8 that our clients keep and our nodes take. Providers name no limit; a UnifiedPush
    /// endpoint may have 1000.
    public static let maximumTokenByteCount = 2048

    /// A request; see the properties.
    public init(platform: Platform, token: WireString) {
        self.platform = platform
        self.token = token
    }

    public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init(platform: .ios, token: "")
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: platform = Platform(rawValue: try reader.int32())
            case 2: token = try reader.string()
            default: try reader.skip()
            }
        }
    }

    public func write(to writer: inout ProtoWriter) {
        writer.int32(1, platform.rawValue)
        writer.string(2, token)
    }
}
