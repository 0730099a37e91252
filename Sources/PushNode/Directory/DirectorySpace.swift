public import ProtoWire
public import PushCrypto

/// A space as a ``SpaceDirectory`` has it: one row of the account's space list.
public struct DirectorySpace: Hashable, Sendable {
    /// The type of a space of two, as rows name it (any-api.md, "SpaceInfo").
    public static let oneToOneType = "any.onetoone"

    /// The space's id.
    public var id: String
    /// The space's type: `any.space`, `any.onetoone`, or whatever the host knows; empty when it is not known.
    public var type: String
    /// The space's name, empty when it has none.
    public var name: WireString
    /// Whether the row's status is exactly `active`. Other spaces take no part in push.
    public var isActive: Bool
    /// Whether the account's own role is exactly `owner`.
    public var isOwned: Bool
    /// The space's own notify mode, `nil` when it is not set or not a mode: see ``NotifyMode``.
    public var notifyMode: NotifyMode?
    /// The setting as a text when it is set and not a mode, for telling the user; `nil` otherwise.
    public var unknownNotifyMode: String?
    /// The public half of the space's push key, kept also when the account has left the space or deleted it here; `nil`
    /// when it is not known. By it the account's own topics at the node are told from those of spaces that this device
    /// has never seen, which belong to another device and stay: topics of a space that was left before the last start
    /// end only with this key.
    public var pushKey: PublicKey?

    /// A row; see the properties.
    public init(
        id: String, type: String = "", name: WireString = "", isActive: Bool, isOwned: Bool,
        notifyMode: NotifyMode? = nil, unknownNotifyMode: String? = nil, pushKey: PublicKey? = nil
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.isActive = isActive
        self.isOwned = isOwned
        self.notifyMode = notifyMode
        self.unknownNotifyMode = unknownNotifyMode
        self.pushKey = pushKey
    }

    /// Whether the type is exactly ``oneToOneType``.
    public var isOneToOne: Bool { type == Self.oneToOneType }
}
