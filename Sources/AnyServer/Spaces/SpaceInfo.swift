import PushCrypto
import PushNode

/// A space's row (any-api.md, "SpaceInfo").
struct SpaceInfo: Hashable, Sendable {
    /// The space's id.
    let id: String
    let spaceType: SpaceType
    /// Who made the space; `nil` for a space of two, which nobody made alone.
    var author: PublicKey?
    /// The other account of a space of two.
    var peer: PublicKey?
    var name: String?
    var description: String?
    var iconCid: String?
    var status: SpaceStatus
    var ownRole: SpaceRole
    /// Milliseconds since 1970.
    var createdAt: Int64
    /// What this account has set for the space, for itself alone.
    var settings: [String: SettingValue] = [:]
    /// The keys for phones, `nil` until the account has them.
    var push: ReceiverKeys?
    /// Whether the space follows from the account's key.
    var isDerived = false
    /// Whether the account was taken out of the space; its records and chats are here still.
    var wasRemoved = false
    /// Whether the account is a member that was not given the current keys: it can neither write nor notify.
    var lacksKey = false

    /// The setting `notifyMode` as a text when it is set and not a mode.
    var unknownNotifyMode: String? {
        guard let value = settings["notifyMode"], notifyMode == nil else { return nil }
        if case .string(let text) = value { return text }
        return String(decoding: JSONWriter.bytes(value.json), as: UTF8.self)
    }

    /// The setting `notifyMode`, `nil` when it is absent or not a mode.
    var notifyMode: NotifyMode? {
        guard case .string(let text) = settings["notifyMode"] else { return nil }
        return NotifyMode(rawValue: text)
    }
}

/// What a space is for, by the name it has in its header.
enum SpaceType: String, Hashable, Sendable, CaseIterable {
    case space = "any.space"
    case oneToOne = "any.onetoone"
}

/// Where an account stands with a space (any-api.md, "SpaceInfo").
enum SpaceStatus: String, Hashable, Sendable, CaseIterable {
    /// Not all of the space's log has come in yet.
    case unknown
    /// A member, or one of two.
    case active
    /// Asked to join, without an answer yet.
    case joining
    /// A member that asked to be removed.
    case leaving
    /// Deleted here, or the account was removed from it (``SpaceInfo/wasRemoved``). The row stays, for pushes that were sent
    /// before.
    case deleted
    case remoteDead = "remote_dead"
    /// A space of two that the other began; accept or decline it.
    case oneToOnePending = "one_to_one_pending"
    /// A space of two that was declined here.
    case oneToOneDeclined = "one_to_one_declined"
    case invitePending = "invite_pending"
    case inviteDeclined = "invite_declined"
    case guestRevoked = "guest_revoked"
}

/// What an account may do in a space (any-api.md, "SpaceInfo").
enum SpaceRole: String, Hashable, Sendable, CaseIterable {
    case owner, admin, writer, reader, guest, none

    /// The role that permissions make; those that this software does not know let one do nothing.
    init(_ permissions: ACLPermissions) {
        switch permissions {
        case .owner: self = .owner
        case .admin: self = .admin
        case .writer: self = .writer
        case .reader: self = .reader
        case .guest: self = .guest
        default: self = .none
        }
    }

    /// The permissions that make the role.
    var permissions: ACLPermissions {
        switch self {
        case .owner: .owner
        case .admin: .admin
        case .writer: .writer
        case .reader: .reader
        case .guest: .guest
        case .none: .none
        }
    }
}

/// An account that a space's log names.
struct SpaceMember: Hashable, Sendable {
    let identity: PublicKey
    let role: SpaceRole
    let status: ACLStatus
    /// What it calls itself, when this account can read it.
    let name: String?
}

extension SpaceInfo: CustomDebugStringConvertible, CustomReflectable {
    /// The id and the status: names are the user's, keys are secret.
    var debugDescription: String { "SpaceInfo(\(id), \(status.rawValue))" }

    var customMirror: Mirror { Mirror(self, children: ["id": id, "status": status.rawValue], displayStyle: .struct) }
}
