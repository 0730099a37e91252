import FoundationEssentials
import PushCrypto

/// The content of one filing, which says how a key stands in a space; see <doc:KeyFileFormat>. It holds no secret.
struct FilingRecord: Codable {
    /// The version that is written and read.
    static let version = 1
    /// The longest file that is read, in bytes.
    static let maximumByteCount = 8192
    /// How many accounts are kept; no device has more.
    static let maximumAccountCount = 32

    private var version: Int
    let spaceId: String
    let encKeyId: String
    /// When the key was first filed for the space, in seconds since 1970.
    var filedAt: Int64
    /// When another key took its place.
    var supersededAt: Int64?
    var accounts: [String]

    init(keyId: String, spaceId: String, filedAt: Int64) {
        version = Self.version
        self.spaceId = spaceId
        encKeyId = keyId
        self.filedAt = filedAt
        accounts = []
    }

    /// What a reader makes of it. An address that is none is passed over.
    var filing: KeyFiling {
        KeyFiling(
            supersededAt: supersededAt, accounts: accounts.compactMap { try? PublicKey(accountAddress: $0) }
        )
    }

    /// The record as of now: the space's own key, or one whose place was taken.
    func seen(asCurrent isCurrent: Bool, at time: Int64) -> FilingRecord {
        var record = self
        if isCurrent {
            record.supersededAt = nil
        } else {
            // A clock that was ahead would keep the key for longer than it should be.
            record.supersededAt = min(supersededAt ?? time, time)
        }
        return record
    }

    /// The record with an account on whose row the key was seen.
    func seen(by account: PublicKey?) -> FilingRecord {
        guard let address = account?.accountAddress, !accounts.contains(address) else { return self }
        var record = self
        record.accounts = (accounts + [address]).suffix(Self.maximumAccountCount)
        return record
    }

    /// The file's bytes.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self))
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - content: the file's bytes.
    ///   - keyId: the id in the file's name, which must be the record's.
    ///   - spaceId: the space in whose folder it is; `nil` when that is not known.
    ///   - path: the file's, for errors.
    init(_ content: [UInt8], keyId: String, spaceId: String, path: String) throws(KeyCacheError) {
        guard let record = try? JSONDecoder().decode(FilingRecord.self, from: Data(content)) else {
            throw .corrupt(path: path, reason: "expected version, spaceId, encKeyId, filedAt and accounts")
        }
        guard record.version == Self.version else { throw .unsupportedVersion(path: path, found: record.version) }
        guard record.encKeyId == keyId, record.spaceId == spaceId else {
            throw .corrupt(path: path, reason: "its encKeyId or spaceId is another file's")
        }
        self = record
    }
}

extension FilingRecord: Equatable {}
