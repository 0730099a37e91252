import FoundationEssentials

/// The `push` object on a space row: a space's keys as its members' phones get them (protocol.md §1, "Receiver-side
/// encodings").
///
/// Both keys are secrets in the clear. They leave this value through its fields and its encoding only: a description, a
/// mirror or a dump shows the id alone.
public struct ReceiverKeys: Hashable, Sendable, Codable {
    /// Base64 of the marshalled private space push key.
    public let spaceKey: String
    /// Base64 of the 32 bytes of the payload encryption key.
    public let encKey: String
    /// The encryption key's id, 64 lower-case hex digits.
    public let encKeyId: String
}

extension ReceiverKeys: CustomStringConvertible, CustomReflectable {
    /// The encryption key's id only.
    public var description: String { "ReceiverKeys(encKeyId: \(encKeyId))" }

    public var customMirror: Mirror { Mirror(self, children: ["encKeyId": encKeyId], displayStyle: .struct) }
}

extension SpacePushKeys {
    /// The keys in the form of a space row.
    public var receiverKeys: ReceiverKeys {
        var space = spaceKey.marshalled()
        var encryption = encryptionKey.rawBytes()
        defer {
            Sodium.zero(&space)
            Sodium.zero(&encryption)
        }
        return ReceiverKeys(
            spaceKey: Data(space).base64EncodedString(), encKey: Data(encryption).base64EncodedString(),
            encKeyId: encryptionKeyId
        )
    }

    /// Why a space row's keys can not be used.
    public enum RowError: Error, Hashable, Sendable {
        /// The field is not standard base64.
        case notBase64(field: String)
        /// The field does not hold a key of the right kind.
        case notAKey(field: String, KeyError)
        /// The id is not the one of the key beside it.
        case keyIdMismatch
    }

    /// Reads the keys of a space row.
    ///
    /// - Throws: ``RowError``.
    public init(_ row: ReceiverKeys) throws(RowError) {
        guard var space = Base64.decode(row.spaceKey) else { throw .notBase64(field: "spaceKey") }
        defer { Sodium.zero(&space) }
        guard var encryption = Base64.decode(row.encKey) else { throw .notBase64(field: "encKey") }
        defer { Sodium.zero(&encryption) }
        let spaceKey: SigningKey
        let encryptionKey: SymmetricKey
        do throws(KeyError) { spaceKey = try SigningKey(marshalled: space) } catch {
            throw .notAKey(field: "spaceKey", error)
        }
        do throws(KeyError) { encryptionKey = try SymmetricKey(rawRepresentation: encryption) } catch {
            throw .notAKey(field: "encKey", error)
        }
        self.init(spaceKey: spaceKey, encryptionKey: encryptionKey)
        guard encryptionKeyId == row.encKeyId else { throw .keyIdMismatch }
    }
}
