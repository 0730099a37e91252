import FoundationEssentials
import PushCrypto

/// The content of one key file; see <doc:KeyFileFormat>.
///
/// JSON makes the key a text for a moment, and a text can not be zeroed. The buffers around it are.
struct KeyRecord: Codable {
    /// The version that is written and read.
    static let version = 1
    /// The longest file that is read, in bytes.
    static let maximumByteCount = 4096
    /// The longest space id that is written, in bytes of UTF-8. JSON makes at most 6 bytes of each.
    static let maximumSpaceIdByteCount = 512

    private var version: Int
    private var spaceId: String
    private var encKeyId: String
    private var encKey: String

    init(_ key: SymmetricKey, spaceId: String) {
        var raw = key.rawBytes()
        defer { Sodium.zero(&raw) }
        version = Self.version
        self.spaceId = spaceId
        encKeyId = key.keyId
        encKey = Data(raw).base64EncodedString()
    }

    /// The file's bytes. The caller zeroes them.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var json = try encoder.encode(self)
        defer { json.resetBytes(in: json.indices) }
        return [UInt8](json)
    }

    /// Whether a text may be a space's id; the empty one is none.
    static func isSpaceId(_ text: String) -> Bool {
        (1...maximumSpaceIdByteCount).contains(text.utf8.count)
    }

    /// Reads the key of a file, and the space that it was first added for.
    ///
    /// - Parameters:
    ///   - content: the file's bytes.
    ///   - id: the id in the file's name, which must be the key's.
    ///   - path: the file's, for errors.
    static func read(
        _ content: [UInt8], id: String, path: String
    ) throws(KeyCacheError) -> (key: SymmetricKey, spaceId: String) {
        guard content.count <= maximumByteCount else {
            throw .corrupt(path: path, reason: "longer than \(maximumByteCount) bytes")
        }
        let decoder = JSONDecoder()
        var data = Data(content)
        defer { data.resetBytes(in: data.indices) }
        guard let header = try? decoder.decode(Header.self, from: data) else {
            throw .corrupt(path: path, reason: content.isEmpty ? "empty" : "not JSON with a version")
        }
        guard header.version == version else { throw .unsupportedVersion(path: path, found: header.version) }
        guard let record = try? decoder.decode(KeyRecord.self, from: data) else {
            throw .corrupt(path: path, reason: "expected version, spaceId, encKeyId and encKey")
        }
        guard record.encKeyId == id else { throw .corrupt(path: path, reason: "its encKeyId is not the file's name") }
        guard var raw = Base64.decode(record.encKey) else {
            throw .corrupt(path: path, reason: "its encKey is not base64")
        }
        defer { Sodium.zero(&raw) }
        guard let key = try? SymmetricKey(rawRepresentation: raw) else {
            throw .corrupt(path: path, reason: "its encKey has \(raw.count) bytes, expected \(SymmetricKey.byteCount)")
        }
        guard key.keyId == id else { throw .corrupt(path: path, reason: "its encKey belongs to another encKeyId") }
        return (key, record.spaceId)
    }

    private struct Header: Decodable {
        let version: Int
    }
}
