package import ProtoWire

// Who has which permissions.
extension ACLContent {
    /// `AclAccountPermissionChange`.
    package struct PermissionChange: ACLMessage {
        package var identity: ArraySlice<UInt8> = []
        package var permissions = ACLPermissions.none

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: identity = try reader.slice()
            case 2: permissions = ACLPermissions(rawValue: try reader.int32())
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.bytes(1, identity)
            writer.int32(2, permissions.rawValue)
        }
    }

    /// `AclAccountPermissionChanges`.
    package struct PermissionChanges: ACLMessage {
        package var changes: [PermissionChange] = []

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: changes.append(try PermissionChange(decoding: try reader.slice()))
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            for change in changes { writer.message(1, change) }
        }
    }

    /// `AclOwnershipChange`.
    package struct OwnershipChange: ACLMessage {
        package var newOwnerIdentity: ArraySlice<UInt8> = []
        package var oldOwnerPermissions = ACLPermissions.none

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: newOwnerIdentity = try reader.slice()
            case 2: oldOwnerPermissions = ACLPermissions(rawValue: try reader.int32())
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.bytes(1, newOwnerIdentity)
            writer.int32(2, oldOwnerPermissions.rawValue)
        }
    }

    /// `AclSpaceOptionsChange`, whose options mean nothing here.
    package struct SpaceOptionsChange: ACLMessage {
        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            try reader.skip()
        }

        package func write(to writer: inout ProtoWriter) {}
    }
}
