package import ProtoWire

/// The first record of an ACL log: `AclRoot` of protocol.md §2.
package struct ACLRoot: ACLMessage {
    package var identity: ArraySlice<UInt8> = []
    package var masterKey: ArraySlice<UInt8> = []
    package var spaceId = WireString("")
    /// Absent in a derived space.
    package var encryptedReadKey: ArraySlice<UInt8>?
    package var timestamp: Int64 = 0
    package var identitySignature: ArraySlice<UInt8> = []
    package var metadataPublicKey: ArraySlice<UInt8> = []
    package var encryptedMetadataKey: ArraySlice<UInt8> = []
    package var encryptedOwnerMetadata: ArraySlice<UInt8> = []
    /// Present in a one-to-one space.
    package var oneToOneInfo: OneToOneInfo?
    /// Kept as it came; nothing here depends on it.
    package var options: ArraySlice<UInt8>?

    package init() {}

    package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
        switch field {
        case 1: identity = try reader.slice()
        case 2: masterKey = try reader.slice()
        case 3: spaceId = try reader.string()
        case 4: encryptedReadKey = try reader.slice()
        case 5: timestamp = try reader.int64()
        case 6: identitySignature = try reader.slice()
        case 7: metadataPublicKey = try reader.slice()
        case 8: encryptedMetadataKey = try reader.slice()
        case 9: encryptedOwnerMetadata = try reader.slice()
        case 10:
            var info = oneToOneInfo ?? OneToOneInfo()
            oneToOneInfo = nil
            try info.merge(try reader.slice())
            oneToOneInfo = info
        case 11: options = try reader.slice()
        default: try reader.skip()
        }
    }

    package func write(to writer: inout ProtoWriter) {
        writer.bytes(1, identity)
        writer.bytes(2, masterKey)
        writer.string(3, spaceId)
        writer.optional(4, encryptedReadKey)
        writer.int64(5, timestamp)
        writer.bytes(6, identitySignature)
        writer.bytes(7, metadataPublicKey)
        writer.bytes(8, encryptedMetadataKey)
        writer.bytes(9, encryptedOwnerMetadata)
        if let oneToOneInfo { writer.message(10, oneToOneInfo) }
        writer.optional(11, options)
    }
}

extension ACLRoot {
    /// Who talks with whom: `AclOneToOneInfo`.
    package struct OneToOneInfo: ACLMessage {
        /// How many writers a space of two has.
        package static let writerCount = 2

        package var owner: ArraySlice<UInt8>?
        package var writers: [ArraySlice<UInt8>] = []

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: owner = try reader.slice()
            // One more than there may be is enough to tell.
            case 2:
                let writer = try reader.slice()
                if writers.count <= Self.writerCount { writers.append(writer) }
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.optional(1, owner)
            for identity in writers { writer.element(2, identity) }
        }
    }
}
