import ProtoWire
import PushCrypto

/// A change of a space's content, as it is stored and as it travels in an export: signed by its author and sealed with
/// the space's read key, so that nobody else can read or alter it.
///
/// ```
/// SignedChange { change:1 bytes, signature:2 bytes (64) }
/// Change       { author:1 marshalled public key, spaceId:2 string, aclHeadId:3 string, readKeyRecordId:4 string,
///                sealed:5 nonce ‖ ciphertext ‖ tag of a ChangeContent }
/// ```
///
/// The signature covers a domain, then the bytes of `change`. The outer message has one accepted form, so that nobody
/// can give a change of somebody else a second id.
struct SignedChange: Hashable, Sendable {
    /// The longest change that is read or made, in bytes: a full text, its attachments and what surrounds them.
    static let maximumByteCount = 256 * 1024
    /// The longest space id, in bytes; a real one has up to 73.
    static let maximumSpaceIdByteCount = 128
    // Keeps these signatures apart from all others of an account key.
    private static let domain = Array("any.change.v1:".utf8)

    /// The ``CID`` of ``bytes``.
    let id: String
    /// The marshalled form.
    let bytes: [UInt8]
    /// Whose change it is.
    let author: PublicKey
    /// The space that it belongs to.
    let spaceId: String
    /// The last ACL record that the author knew: what the author might do is judged by the log up to it.
    let aclHeadId: String
    /// The ACL record that made the read key under which the content is sealed.
    let readKeyRecordId: String
    /// The sealed content.
    let sealed: ArraySlice<UInt8>

    /// Reads a change and checks all that needs no knowledge of the space: its length, its form and its signature.
    ///
    /// - Parameter bytes: the marshalled form, from anybody.
    /// - Throws: ``ChangeError``.
    init(_ bytes: [UInt8]) throws(ChangeError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw .tooLong(limit: Self.maximumByteCount, found: bytes.count)
        }
        let (change, signature) = try Self.outer(bytes)
        let fields = try Fields(change)
        guard fields.author.isValidSignature(signature, for: Self.domain + change) else { throw .wrongSignature }
        self.init(bytes: bytes, fields)
    }

    /// Reads a change that was checked before it was stored, without the price of another look at its signature.
    ///
    /// - Throws: ``ChangeError`` when the bytes are damaged.
    init(stored bytes: [UInt8]) throws(ChangeError) {
        self.init(bytes: bytes, try Fields(try Self.outer(bytes).change))
    }

    /// Makes a change.
    ///
    /// - Parameters:
    ///   - content: what changes.
    ///   - spaceId: the space.
    ///   - state: the space's ACL as the author sees it, which gives the read key.
    ///   - account: the author's key.
    /// - Throws: ``ChangeError/keyUnavailable(_:)``, ``ChangeError/tooLong(limit:found:)`` or
    ///   ``ChangeError/cannotSeal(_:)``.
    init(
        _ content: ChangeContent, in spaceId: String, _ state: ACLState, by account: SigningKey
    ) throws(ChangeError) {
        let readKey: SymmetricKey
        do throws(ACLKeyUnavailable) { readKey = try state.currentReadKey() } catch { throw .keyUnavailable(error) }
        let sealed: [UInt8]
        do throws(SealError) { sealed = try readKey.seal(content.marshalled()) } catch { throw .cannotSeal(error) }

        var change = ProtoWriter(reserving: sealed.count + 320)
        change.bytes(1, account.publicKey.marshalled)
        change.string(2, spaceId)
        change.string(3, state.head)
        change.string(4, state.currentReadKeyId)
        change.bytes(5, sealed)
        let bytes = Self.marshalled(change.bytes[...], account.signature(for: Self.domain + change.bytes)[...])
        guard bytes.count <= Self.maximumByteCount else {
            throw .tooLong(limit: Self.maximumByteCount, found: bytes.count)
        }
        self.init(bytes: bytes, try Fields(change.bytes[...]))
    }

    private init(bytes: [UInt8], _ fields: Fields) {
        id = CID(of: bytes).text
        self.bytes = bytes
        author = fields.author
        spaceId = fields.spaceId
        aclHeadId = fields.aclHeadId
        readKeyRecordId = fields.readKeyRecordId
        sealed = fields.sealed
    }

    /// Opens the content.
    ///
    /// - Parameter readKey: the read key that ``readKeyRecordId`` made.
    /// - Throws: ``ChangeError/cannotOpen(_:)`` or an error of ``ChangeContent/init(_:)``.
    func content(readKey: SymmetricKey) throws(ChangeError) -> ChangeContent {
        let opened: [UInt8]
        do throws(SealError) { opened = try readKey.open(sealed) } catch { throw .cannotOpen(error) }
        return try ChangeContent(opened[...])
    }

    private static func marshalled(_ change: ArraySlice<UInt8>, _ signature: ArraySlice<UInt8>) -> [UInt8] {
        var writer = ProtoWriter(reserving: change.count + signature.count + 8)
        writer.bytes(1, change)
        writer.bytes(2, signature)
        return writer.bytes
    }

    private static func outer(
        _ bytes: [UInt8]
    ) throws(ChangeError) -> (change: ArraySlice<UInt8>, signature: ArraySlice<UInt8>) {
        var change: ArraySlice<UInt8> = []
        var signature: ArraySlice<UInt8> = []
        try ChangeError.reading { () throws(ProtoError) in
            var reader = ProtoReader(bytes)
            while let field = try reader.nextField() {
                switch field {
                case 1: change = try reader.slice()
                case 2: signature = try reader.slice()
                default: try reader.skip()
                }
            }
        }
        guard marshalled(change, signature) == bytes else { throw .notCanonical }
        return (change, signature)
    }
}

extension SignedChange: CustomStringConvertible {
    /// The id and the author.
    var description: String { "SignedChange(\(id) by \(author))" }
}

/// The fields of `Change`, each within its bounds.
private struct Fields {
    let author: PublicKey
    let spaceId: String
    let aclHeadId: String
    let readKeyRecordId: String
    let sealed: ArraySlice<UInt8>

    init(_ change: ArraySlice<UInt8>) throws(ChangeError) {
        var texts: [Int: ArraySlice<UInt8>] = [:]
        try ChangeError.reading { () throws(ProtoError) in
            var reader = ProtoReader(change)
            while let field = try reader.nextField() {
                if (1...5).contains(field) { texts[field] = try reader.slice() } else { try reader.skip() }
            }
        }
        do throws(KeyError) { author = try PublicKey(marshalled: texts[1] ?? []) } catch { throw .wrongAuthor(error) }
        spaceId = try Self.text(texts[2], "spaceId", SignedChange.maximumSpaceIdByteCount)
        aclHeadId = try Self.text(texts[3], "aclHeadId", CID.textLength)
        readKeyRecordId = try Self.text(texts[4], "readKeyRecordId", CID.textLength)
        sealed = texts[5] ?? []
    }

    private static func text(
        _ bytes: ArraySlice<UInt8>?, _ name: String, _ limit: Int
    ) throws(ChangeError) -> String {
        guard let bytes, (1...limit).contains(bytes.count), let text = String(validating: bytes, as: UTF8.self)
        else { throw .wrongField(name) }
        return text
    }
}
