package import ProtoWire

// New generations of the read key.
extension ACLContent {
    /// `AclReadKeyChange`.
    package struct ReadKeyChange: ACLMessage {
        package var accountKeys: [EncryptedKey] = []
        package var metadataPublicKey: ArraySlice<UInt8> = []
        package var encryptedMetadataKey: ArraySlice<UInt8>?
        package var encryptedOldReadKey: ArraySlice<UInt8>?
        package var inviteKeys: [EncryptedKey] = []

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: accountKeys.append(try EncryptedKey(decoding: try reader.slice()))
            case 2: metadataPublicKey = try reader.slice()
            case 3: encryptedMetadataKey = try reader.slice()
            case 4: encryptedOldReadKey = try reader.slice()
            case 5: inviteKeys.append(try EncryptedKey(decoding: try reader.slice()))
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            for key in accountKeys { writer.message(1, key) }
            writer.bytes(2, metadataPublicKey)
            writer.optional(3, encryptedMetadataKey)
            writer.optional(4, encryptedOldReadKey)
            for key in inviteKeys { writer.message(5, key) }
        }
    }

    /// The read key encrypted to one account or invite: `AclEncryptedReadKey`.
    package struct EncryptedKey: ACLMessage {
        package var identity: ArraySlice<UInt8> = []
        package var encryptedReadKey: ArraySlice<UInt8> = []

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: identity = try reader.slice()
            case 2: encryptedReadKey = try reader.slice()
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            writer.bytes(1, identity)
            writer.bytes(2, encryptedReadKey)
        }
    }

    /// `AclAccountRemove`.
    package struct AccountRemove: ACLMessage {
        package var identities: [ArraySlice<UInt8>] = []
        package var readKeyChange: ReadKeyChange?

        package init() {}

        package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
            switch field {
            case 1: identities.append(try reader.slice())
            case 2:
                var change = readKeyChange ?? ReadKeyChange()
                readKeyChange = nil
                try change.merge(try reader.slice())
                readKeyChange = change
            default: try reader.skip()
            }
        }

        package func write(to writer: inout ProtoWriter) {
            for identity in identities { writer.element(1, identity) }
            if let readKeyChange { writer.message(2, readKeyChange) }
        }
    }
}
