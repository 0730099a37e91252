import PushCrypto
import SecretFiles

/// The filings of one space: a file for each key that was seen on its rows, `spaces/<SHA-256 of the space's id>/<key id>.json`.
///
/// Filing brings the folder to the same state from whatever was there, so two processes need no lock: what one undoes of
/// the other, the next filing makes good, and rows are filed at every start.
struct FilingFolder {
    private let path: String
    private let spaceId: String
    private let fault: SecretFile.Fault

    init(keyDirectory: String, spaceId: String, fault: @escaping SecretFile.Fault) {
        path = "\(keyDirectory)/spaces/\(Hexadecimal.encode(Digest.sha256(Array(spaceId.utf8))))"
        self.spaceId = spaceId
        self.fault = fault
    }

    /// The filing of a key, `nil` when there is none.
    func record(of keyId: String) throws(KeyCacheError) -> FilingRecord? {
        let file = file(of: keyId)
        let content: [UInt8]?
        do throws(FileError) {
            content = try file.read(limit: FilingRecord.maximumByteCount, followsLinks: false)
        } catch {
            throw .unreadable(error)
        }
        return try content.map { (content) throws(KeyCacheError) in
            try FilingRecord(content, keyId: keyId, spaceId: spaceId, path: file.path)
        }
    }

    /// The ids of the keys that were filed.
    func keyIds() throws(KeyCacheError) -> [String] {
        do throws(FileError) {
            return try Folder.names(in: path).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
                .map { String($0.dropLast(".json".count)) }
        } catch {
            throw .unreadable(error)
        }
    }

    /// When the space's first filing was made, `nil` when there is none that can be read.
    func firstFiledAt() throws(KeyCacheError) -> Int64? {
        try keyIds().compactMap { try? record(of: $0)?.filedAt }.min()
    }

    /// Notes that a key was seen on a row of the space.
    ///
    /// - Parameters:
    ///   - isCurrent: whether it is the space's key now; the others' place is taken then.
    ///   - account: whose row it was.
    ///   - time: now, in seconds since 1970.
    func file(_ keyId: String, isCurrent: Bool, account: PublicKey?, at time: Int64) throws(KeyCacheError) {
        do throws(FileError) { try Folder.create(path) } catch { throw .unwritable(error) }
        if isCurrent {
            // A filing that can not be read is no reason to keep the others: the receiver takes it for none.
            for other in try keyIds() where other != keyId {
                guard let record = try? record(of: other) else { continue }
                try write(record.seen(asCurrent: false, at: time), inPlaceOf: record)
            }
        }
        let known = try? record(of: keyId)
        var record = known ?? FilingRecord(keyId: keyId, spaceId: spaceId, filedAt: time)
        if isCurrent {
            record = record.seen(asCurrent: true, at: time)
        } else if known == nil {
            record = record.seen(asCurrent: false, at: time)
        }
        try write(record.seen(by: account), inPlaceOf: known)
    }

    private func write(_ record: FilingRecord, inPlaceOf old: FilingRecord?) throws(KeyCacheError) {
        guard record != old else { return }
        let file = file(of: record.encKeyId)
        guard let content = try? record.encoded() else {
            throw .corrupt(path: file.path, reason: "the filing cannot be written as JSON")
        }
        do throws(FileError) { try file.replace(with: content) } catch { throw .unwritable(error) }
    }

    private func file(of keyId: String) -> SecretFile {
        SecretFile(path: "\(path)/\(keyId).json", fault: fault)
    }
}
