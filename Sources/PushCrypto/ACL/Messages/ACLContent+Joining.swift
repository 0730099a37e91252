package import ProtoWire

// The contents by which accounts come in. Record ids are texts that are only ever looked up among ids of records that were
// verified, so bytes that are no UTF-8 may become replacement characters.
extension ACLContent {
    /// `AclAccountInvite`.
    package struct Invite: ACLMessage {
        package var inviteKey: ArraySlice<UInt8> = []
        package var inviteType = ACLInviteType.requestToJoin
        package var permissions = ACLPermissions.none
        package var encryptedReadKey: ArraySlice<UInt8>?

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: inviteKey = try reader.slice()
            case 2: inviteType = ACLInviteType(rawValue: try reader.int32())
            case 3: permissions = ACLPermissions(rawValue: try reader.int32())
            case 4: encryptedReadKey = try reader.slice()
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.bytes(1, inviteKey)
            writer.int32(2, inviteType.rawValue)
            writer.int32(3, permissions.rawValue)
            writer.optional(4, encryptedReadKey)
        }
    }

    /// `AclAccountInviteChange`.
    package struct InviteChange: ACLMessage {
        package var inviteRecordId = ""
        package var permissions = ACLPermissions.none

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: inviteRecordId = try reader.string().string
            case 2: permissions = ACLPermissions(rawValue: try reader.int32())
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.string(1, inviteRecordId)
            writer.int32(2, permissions.rawValue)
        }
    }

    /// `AclAccountInviteRevoke`.
    package struct InviteRevoke: ACLMessage {
        package var inviteRecordId = ""

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: inviteRecordId = try reader.string().string
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.string(1, inviteRecordId)
        }
    }

    /// `AclAccountInviteJoin`.
    package struct InviteJoin: ACLMessage {
        package var identity: ArraySlice<UInt8> = []
        package var inviteRecordId = ""
        package var inviteIdentitySignature: ArraySlice<UInt8> = []
        package var metadata: ArraySlice<UInt8> = []
        package var encryptedReadKey: ArraySlice<UInt8>?
        package var permissions = ACLPermissions.none

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: identity = try reader.slice()
            case 2: inviteRecordId = try reader.string().string
            case 3: inviteIdentitySignature = try reader.slice()
            case 4: metadata = try reader.slice()
            case 5: encryptedReadKey = try reader.slice()
            case 6: permissions = ACLPermissions(rawValue: try reader.int32())
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.bytes(1, identity)
            writer.string(2, inviteRecordId)
            writer.bytes(3, inviteIdentitySignature)
            writer.bytes(4, metadata)
            writer.optional(5, encryptedReadKey)
            writer.int32(6, permissions.rawValue)
        }
    }

    /// `AclAccountsAdd`.
    package struct AccountsAdd: ACLMessage {
        package var additions: [Addition] = []

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: additions.append(try Addition(decoding: try reader.slice()))
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            for addition in additions { writer.message(1, addition) }
        }
    }

    /// One account of an ``AccountsAdd``: `AclAccountAdd`.
    package struct Addition: ACLMessage {
        package var identity: ArraySlice<UInt8> = []
        package var permissions = ACLPermissions.none
        package var metadata: ArraySlice<UInt8> = []
        package var encryptedReadKey: ArraySlice<UInt8> = []

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: identity = try reader.slice()
            case 2: permissions = ACLPermissions(rawValue: try reader.int32())
            case 3: metadata = try reader.slice()
            case 4: encryptedReadKey = try reader.slice()
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.bytes(1, identity)
            writer.int32(2, permissions.rawValue)
            writer.bytes(3, metadata)
            writer.bytes(4, encryptedReadKey)
        }
    }
}
