public import PushCrypto
package import SecretFiles

/// The payload encryption keys of a device's spaces, in files that outlive the process.
///
/// A notification can be older than a space's current key, or belong to a space that was left since, so keys are only ever
/// added: nothing here deletes or changes one. Add the key of every space row that is seen, at every start and whenever a
/// row changes; a key that is already there costs a few looks.
///
/// Beside the keys it is kept for which spaces each was seen, whether it still is the space's key, and since when not: a
/// payload counts for a space only under a key of that space, and only for ``KeyFiling/grace`` after a newer key came.
///
/// Each key has a file of its own, <doc:KeyFileFormat>. A key's file gets its name when it is whole and on the disk, and it
/// is never written again. So there is nothing that two processes, such as an app and its notification extension, could take
/// from each other, and nothing to lock or to wait for; a process that dies while it adds a key leaves either the whole key
/// or none; and a damaged file costs one key.
public struct KeyCache: PayloadKeySource {
    /// Where the files are.
    public let directory: String

    private let unixTime: @Sendable () -> Int64
    private let fault: SecretFile.Fault

    /// A cache in a directory, which is made when it is missing.
    ///
    /// - Parameters:
    ///   - directory: its path; only its owner may have access to it.
    ///   - unixTime: the time in seconds since 1970, the machine's by default; it dates when a key was superseded.
    /// - Throws: ``KeyCacheError/directoryUnusable(_:)``.
    public init(
        directory: String, unixTime: @escaping @Sendable () -> Int64 = DeviceTime.seconds
    ) throws(KeyCacheError) {
        try self.init(directory: directory, unixTime: unixTime) { _ in nil }
    }

    /// A cache whose files fail at the steps that `fault` says.
    package init(
        directory: String, unixTime: @escaping @Sendable () -> Int64 = DeviceTime.seconds,
        fault: @escaping SecretFile.Fault
    ) throws(KeyCacheError) {
        self.directory = directory
        self.unixTime = unixTime
        self.fault = fault
        do throws(FileError) {
            try Folder.create(directory)
            try Folder.requirePrivate(directory)
            try Folder.requireTrusted(directory)
        } catch {
            throw .directoryUnusable(error)
        }
    }

    /// The key filed under an id.
    ///
    /// - Parameter id: 64 lower-case hex digits; no other text is ever the id of a key.
    /// - Returns: `nil` when there is none.
    /// - Throws: ``KeyCacheError/unreadable(_:)``, ``KeyCacheError/corrupt(path:reason:)`` or
    ///   ``KeyCacheError/unsupportedVersion(path:found:)``.
    public func key(withId id: String) throws(KeyCacheError) -> SymmetricKey? {
        try record(withId: id)?.key
    }

    /// How a key was filed for a space.
    ///
    /// A key that was added by software without filings counts for the space in its file, and as superseded since the
    /// space's first filing.
    ///
    /// - Throws: as ``key(withId:)``.
    public func filing(ofKeyWithId id: String, spaceId: String) throws(KeyCacheError) -> KeyFiling? {
        guard Self.isKeyId(id), KeyRecord.isSpaceId(spaceId) else { return nil }
        let folder = folder(of: spaceId)
        if let record = try folder.record(of: id) { return record.filing }
        guard try record(withId: id)?.spaceId == spaceId else { return nil }
        return KeyFiling(supersededAt: try folder.firstFiledAt())
    }

    private func record(withId id: String) throws(KeyCacheError) -> (key: SymmetricKey, spaceId: String)? {
        // Also keeps ids such as `../x` away from the file system.
        guard Self.isKeyId(id) else { return nil }
        let file = file(of: id)
        let content: [UInt8]?
        do throws(FileError) {
            content = try file.read(limit: KeyRecord.maximumByteCount)
        } catch {
            if case .tooLarge(let path, let limit) = error {
                throw .corrupt(path: path, reason: "longer than \(limit) bytes")
            }
            throw .unreadable(error)
        }
        guard var content else { return nil }
        defer { Sodium.zero(&content) }
        return try KeyRecord.read(content, id: id, path: file.path)
    }

    /// Adds the key of a space row.
    ///
    /// - Parameters:
    ///   - row: the row's `push` object.
    ///   - spaceId: the space's id.
    ///   - isCurrent: whether the row is one of a space that the account is an active member of. The keys of any other row,
    ///     such as a deleted space's, are filed as superseded and supersede nothing.
    ///   - account: whose row it is. Only what an account is named for can be taken back by its signed notices.
    /// - Returns: whether the key was not there before.
    /// - Throws: ``KeyCacheError``.
    @discardableResult
    public func add(
        _ row: ReceiverKeys, spaceId: String, isCurrent: Bool = true, account: PublicKey? = nil
    ) throws(KeyCacheError) -> Bool {
        let keys: SpacePushKeys
        do throws(SpacePushKeys.RowError) { keys = try SpacePushKeys(row) } catch { throw .unusableRow(error) }
        return try add(keys.encryptionKey, spaceId: spaceId, isCurrent: isCurrent, account: account)
    }

    /// Adds a key.
    ///
    /// - Parameters:
    ///   - key: a space's payload encryption key.
    ///   - spaceId: the space's id, 1 to 512 bytes.
    ///   - isCurrent: whether it is the key of a space that the account is an active member of.
    ///   - account: whose row the key was on.
    /// - Returns: whether the key was not there before.
    /// - Throws: ``KeyCacheError``; a file under the key's name that does not hold it is an error and stays as it is.
    @discardableResult
    public func add(
        _ key: SymmetricKey, spaceId: String, isCurrent: Bool = true, account: PublicKey? = nil
    ) throws(KeyCacheError) -> Bool {
        guard KeyRecord.isSpaceId(spaceId) else {
            throw .unusableSpaceId(limit: KeyRecord.maximumSpaceIdByteCount, found: spaceId.utf8.count)
        }
        // The key first: one without a filing is a superseded key until it is added again, never a current one for good.
        let isNew = try store(key, spaceId: spaceId)
        try folder(of: spaceId).file(key.keyId, isCurrent: isCurrent, account: account, at: unixTime())
        return isNew
    }

    private func store(_ key: SymmetricKey, spaceId: String) throws(KeyCacheError) -> Bool {
        let id = key.keyId
        guard try self.key(withId: id) == nil else { return false }
        let file = file(of: id)
        guard var content = try? KeyRecord(key, spaceId: spaceId).encoded() else {
            throw .corrupt(path: file.path, reason: "the record cannot be written as JSON")
        }
        defer { Sodium.zero(&content) }
        do throws(FileError) {
            try file.create(content)
            return true
        } catch {
            // Another process may have added the same key meanwhile.
            if case .alreadyExists = error, try self.key(withId: id) != nil { return false }
            throw .unwritable(error)
        }
    }

    private func folder(of spaceId: String) -> FilingFolder {
        FilingFolder(keyDirectory: directory, spaceId: spaceId, fault: fault)
    }

    private func file(of id: String) -> SecretFile {
        SecretFile(path: "\(directory)/\(id).json", fault: fault)
    }

    // Hex of SHA-256 (protocol.md §1, "keyId").
    private static func isKeyId(_ id: String) -> Bool {
        id.utf8.count == 64
            && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
