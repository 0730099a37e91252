/// What an account may do in a space (protocol.md §2). Numbers that this software does not know are kept: they make a member
/// that may do nothing in particular.
public struct ACLPermissions: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Not a member.
    public static let none = ACLPermissions(rawValue: 0)
    /// The one account that may do everything.
    public static let owner = ACLPermissions(rawValue: 1)
    /// Manages accounts, but not other admins.
    public static let admin = ACLPermissions(rawValue: 2)
    /// Reads and writes.
    public static let writer = ACLPermissions(rawValue: 3)
    /// Reads.
    public static let reader = ACLPermissions(rawValue: 4)
    /// Reads, and keeps these permissions until it is removed.
    public static let guest = ACLPermissions(rawValue: 5)

    /// Whether an account with these permissions is a member.
    public var isMember: Bool { self != .none }

    /// Whether an account with these permissions may invite, accept, change and remove others: "M" of protocol.md §2.
    public var canManageAccounts: Bool { self == .owner || self == .admin }

    /// Whether who comes in by an invite with permissions `limit` may take these.
    func isWithin(_ limit: ACLPermissions) -> Bool {
        switch self {
        case .none: true
        case .reader: limit != .none
        case .writer: limit == .writer || limit == .admin
        case .admin: limit == .admin
        default: false
        }
    }

    /// The name in protocol.md §2, or the number.
    public var description: String {
        switch self {
        case .none: "none"
        case .owner: "owner"
        case .admin: "admin"
        case .writer: "writer"
        case .reader: "reader"
        case .guest: "guest"
        default: "\(rawValue)"
        }
    }
}

/// How one comes in by an invite (protocol.md §2). Numbers that this software does not know are kept.
public struct ACLInviteType: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The holder of the invite key asks, and is accepted or declined.
    public static let requestToJoin = ACLInviteType(rawValue: 0)
    /// The holder of the invite key joins by itself; the invite carries the read key.
    public static let anyoneCanJoin = ACLInviteType(rawValue: 1)
}

/// Where an account stands (protocol.md §2).
public enum ACLStatus: String, Hashable, Sendable {
    /// Not in the log.
    case none
    /// Has asked to join.
    case joining
    /// A member.
    case active
    /// Its request to join was declined.
    case declined
    /// It took back its request to join.
    case canceled
    /// Was a member.
    case removed
    /// A member, with its keys, that asked to be removed.
    case removing
}
