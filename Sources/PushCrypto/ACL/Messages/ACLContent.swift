package import ProtoWire

/// What a record holds: `AclData` of protocol.md §2.
package struct ACLData: ACLMessage {
    package var contents: [ACLContent] = []

    package init() {}

    package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
        switch field {
        case 1: contents.append(try ACLContent(decoding: try reader.slice()))
        default: try reader.skip()
        }
    }

    package func write(to writer: inout ProtoWriter) {
        for content in contents { writer.message(1, content) }
    }
}

/// One change of a record: `AclContentValue` of protocol.md §2.
package enum ACLContent: Hashable, Sendable {
    case invite(Invite)
    case inviteRevoke(InviteRevoke)
    case requestJoin(RequestJoin)
    case requestAccept(RequestAccept)
    case permissionChange(PermissionChange)
    case accountRemove(AccountRemove)
    case readKeyChange(ReadKeyChange)
    case requestDecline(RequestDecline)
    case accountRequestRemove(AccountRequestRemove)
    case permissionChanges(PermissionChanges)
    case accountsAdd(AccountsAdd)
    case requestCancel(RequestCancel)
    case inviteJoin(InviteJoin)
    case inviteChange(InviteChange)
    case ownershipChange(OwnershipChange)
    case spaceOptionsChange(SpaceOptionsChange)
    /// A kind that newer software wrote, or none.
    case unknown
}

extension ACLContent: ACLMessage {
    package init() {
        self = .unknown
    }

    package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
        switch field {
        case 1: try merge(&reader, Self.invite) { if case .invite(let old) = $0 { old } else { nil } }
        case 2: try merge(&reader, Self.inviteRevoke) { if case .inviteRevoke(let old) = $0 { old } else { nil } }
        case 3: try merge(&reader, Self.requestJoin) { if case .requestJoin(let old) = $0 { old } else { nil } }
        case 4: try merge(&reader, Self.requestAccept) { if case .requestAccept(let old) = $0 { old } else { nil } }
        case 5: try merge(&reader, Self.permissionChange) { if case .permissionChange(let old) = $0 { old } else { nil } }
        case 6: try merge(&reader, Self.accountRemove) { if case .accountRemove(let old) = $0 { old } else { nil } }
        case 7: try merge(&reader, Self.readKeyChange) { if case .readKeyChange(let old) = $0 { old } else { nil } }
        case 8: try merge(&reader, Self.requestDecline) { if case .requestDecline(let old) = $0 { old } else { nil } }
        case 9: try merge(&reader, Self.accountRequestRemove) { if case .accountRequestRemove(let old) = $0 { old } else { nil } }
        case 10: try merge(&reader, Self.permissionChanges) { if case .permissionChanges(let old) = $0 { old } else { nil } }
        case 11: try merge(&reader, Self.accountsAdd) { if case .accountsAdd(let old) = $0 { old } else { nil } }
        case 12: try merge(&reader, Self.requestCancel) { if case .requestCancel(let old) = $0 { old } else { nil } }
        case 13: try merge(&reader, Self.inviteJoin) { if case .inviteJoin(let old) = $0 { old } else { nil } }
        case 14: try merge(&reader, Self.inviteChange) { if case .inviteChange(let old) = $0 { old } else { nil } }
        case 15: try merge(&reader, Self.ownershipChange) { if case .ownershipChange(let old) = $0 { old } else { nil } }
        case 16: try merge(&reader, Self.spaceOptionsChange) { if case .spaceOptionsChange(let old) = $0 { old } else { nil } }
        default: try reader.skip()
        }
    }

    // A second occurrence of the same kind adds to the first, another kind replaces it.
    private mutating func merge<Message: ACLMessage>(
        _ reader: inout ProtoReader, _ wrap: (Message) -> Self, unwrap: (Self) -> Message?
    ) throws(ProtoError) {
        var message = unwrap(self) ?? Message()
        // Gives up the other reference to the message's arrays: with it, every occurrence would copy all before it.
        self = .unknown
        try message.merge(try reader.slice())
        self = wrap(message)
    }

    package func write(to writer: inout ProtoWriter) {
        switch self {
        case .invite(let value): writer.message(1, value)
        case .inviteRevoke(let value): writer.message(2, value)
        case .requestJoin(let value): writer.message(3, value)
        case .requestAccept(let value): writer.message(4, value)
        case .permissionChange(let value): writer.message(5, value)
        case .accountRemove(let value): writer.message(6, value)
        case .readKeyChange(let value): writer.message(7, value)
        case .requestDecline(let value): writer.message(8, value)
        case .accountRequestRemove(let value): writer.message(9, value)
        case .permissionChanges(let value): writer.message(10, value)
        case .accountsAdd(let value): writer.message(11, value)
        case .requestCancel(let value): writer.message(12, value)
        case .inviteJoin(let value): writer.message(13, value)
        case .inviteChange(let value): writer.message(14, value)
        case .ownershipChange(let value): writer.message(15, value)
        case .spaceOptionsChange(let value): writer.message(16, value)
        case .unknown: break
        }
    }
}
