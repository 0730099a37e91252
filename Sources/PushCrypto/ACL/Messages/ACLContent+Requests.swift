package import ProtoWire

// Requests to join and what becomes of them.
extension ACLContent {
    /// `AclAccountRequestJoin`. `inviteIdentity` is the joiner.
    package struct RequestJoin: ACLMessage {
        package var inviteIdentity: ArraySlice<UInt8> = []
        package var inviteRecordId = ""
        package var inviteIdentitySignature: ArraySlice<UInt8> = []
        package var metadata: ArraySlice<UInt8> = []

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: inviteIdentity = try reader.slice()
            case 2: inviteRecordId = try reader.string().string
            case 3: inviteIdentitySignature = try reader.slice()
            case 4: metadata = try reader.slice()
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.bytes(1, inviteIdentity)
            writer.string(2, inviteRecordId)
            writer.bytes(3, inviteIdentitySignature)
            writer.bytes(4, metadata)
        }
    }

    /// `AclAccountRequestAccept`.
    package struct RequestAccept: ACLMessage {
        package var identity: ArraySlice<UInt8> = []
        package var requestRecordId = ""
        package var encryptedReadKey: ArraySlice<UInt8> = []
        package var permissions = ACLPermissions.none

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: identity = try reader.slice()
            case 2: requestRecordId = try reader.string().string
            case 3: encryptedReadKey = try reader.slice()
            case 4: permissions = ACLPermissions(rawValue: try reader.int32())
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.bytes(1, identity)
            writer.string(2, requestRecordId)
            writer.bytes(3, encryptedReadKey)
            writer.int32(4, permissions.rawValue)
        }
    }

    /// `AclAccountRequestDecline`.
    package struct RequestDecline: ACLMessage {
        package var requestRecordId = ""

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: requestRecordId = try reader.string().string
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.string(1, requestRecordId)
        }
    }

    /// `AclAccountRequestCancel`.
    package struct RequestCancel: ACLMessage {
        package var recordId = ""

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: recordId = try reader.string().string
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.string(1, recordId)
        }
    }

    /// `AclAccountRequestRemove`: the author asks to be removed.
    package struct AccountRequestRemove: ACLMessage {
        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            try reader.skip()
        }

        package func write(to writer: inout ProtoWriter) {}
    }
}
