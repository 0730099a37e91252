public import ProtoWire

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

    /// A row; see the properties.
    public init(
        id: String, type: String = "", name: WireString = "", isActive: Bool, isOwned: Bool,
        notifyMode: NotifyMode? = nil, unknownNotifyMode: String? = nil
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.isActive = isActive
        self.isOwned = isOwned
        self.notifyMode = notifyMode
        self.unknownNotifyMode = unknownNotifyMode
    }

    /// Whether the type is exactly ``oneToOneType``.
    public var isOneToOne: Bool { type == Self.oneToOneType }
}
