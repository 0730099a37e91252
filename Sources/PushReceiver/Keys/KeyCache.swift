public import PushCrypto

/// The payload encryption keys of a device's spaces, in files that outlive the process.
///
/// A notification can be older than a space's current key, or belong to a space that was left since, so keys are only ever
/// added: nothing here deletes or changes one. Add the key of every space row that is seen, at every start and whenever a
/// row changes; a key that is already there costs a look.
///
/// Each key has a file of its own, <doc:KeyFileFormat>. A file is written under another name and renamed when it is whole
/// and on the disk, and it is never written again. So there is nothing that two processes, such as an app and its
/// notification extension, could take from each other, and nothing to lock or to wait for; a process that dies while it
/// adds a key leaves either the whole key or none; and a damaged file costs one key.
public struct KeyCache: PayloadKeySource {
    /// Where the files are.
    public let directory: String

    private let files: any KeyFiles

    /// A cache in a directory, which is made when it is missing.
    ///
    /// - Parameters:
    ///   - directory: its path; only its owner may have access to it.
    ///   - files: what to reach it with.
    /// - Throws: ``KeyCacheError/directoryUnusable(path:_:)`` or ``KeyCacheError/directoryExposed(path:permissions:)``.
    public init(directory: String, files: some KeyFiles = PosixKeyFiles()) throws(KeyCacheError) {
        self.directory = directory
        self.files = files
        let permissions: UInt16
        do throws(FileFailure) {
            try files.makeDirectory(directory)
            permissions = try files.permissions(ofDirectory: directory)
        } catch {
            throw .directoryUnusable(path: directory, error)
        }
        guard permissions & 0o077 == 0 else { throw .directoryExposed(path: directory, permissions: permissions) }
    }

    /// The key filed under an id.
    ///
    /// - Parameter id: 64 lower-case hex digits; no other text is ever the id of a key.
    /// - Returns: `nil` when there is none.
    /// - Throws: ``KeyCacheError/unreadable(path:_:)``, ``KeyCacheError/corrupt(path:reason:)`` or
    ///   ``KeyCacheError/unsupportedVersion(path:found:)``.
    public func key(withId id: String) throws(KeyCacheError) -> SymmetricKey? {
        // Also keeps ids such as `../x` away from the file system.
        guard Self.isKeyId(id) else { return nil }
        let path = self.path(of: id)
        let content: [UInt8]?
        do throws(FileFailure) {
            content = try files.read(path, limit: KeyRecord.maximumByteCount)
        } catch {
            throw .unreadable(path: path, error)
        }
        guard var content else { return nil }
        defer { Sodium.zero(&content) }
        return try KeyRecord.key(in: content, id: id, path: path)
    }

    /// Adds the key of a space row.
    ///
    /// - Parameters:
    ///   - row: the row's `push` object.
    ///   - spaceId: the space's id.
    /// - Returns: whether the key was not there before.
    /// - Throws: ``KeyCacheError``.
    @discardableResult
    public func add(_ row: ReceiverKeys, spaceId: String) throws(KeyCacheError) -> Bool {
        let keys: SpacePushKeys
        do throws(SpacePushKeys.RowError) { keys = try SpacePushKeys(row) } catch { throw .unusableRow(error) }
        return try add(keys.encryptionKey, spaceId: spaceId)
    }

    /// Adds a key.
    ///
    /// - Parameters:
    ///   - key: a space's payload encryption key.
    ///   - spaceId: the space's id, at most 512 bytes; kept beside the key for whoever looks at the files.
    /// - Returns: whether the key was not there before.
    /// - Throws: ``KeyCacheError``; a file under the key's name that does not hold it is an error and stays as it is.
    @discardableResult
    public func add(_ key: SymmetricKey, spaceId: String) throws(KeyCacheError) -> Bool {
        guard spaceId.utf8.count <= KeyRecord.maximumSpaceIdByteCount else {
            throw .spaceIdTooLong(limit: KeyRecord.maximumSpaceIdByteCount, found: spaceId.utf8.count)
        }
        let id = key.keyId
        guard try self.key(withId: id) == nil else { return false }
        try publish(KeyRecord(key, spaceId: spaceId), id: id)
        removeLeftovers(of: id)
        return true
    }

    private func publish(_ record: KeyRecord, id: String) throws(KeyCacheError) {
        let path = self.path(of: id)
        guard var content = try? record.encoded() else {
            throw .corrupt(path: path, reason: "the record cannot be written as JSON")
        }
        defer { Sodium.zero(&content) }
        let temporary = "\(path)\(Self.temporaryMark)\(UInt64.random(in: .min ... .max))"
        do throws(FileFailure) {
            try files.create(temporary, content)
            try files.rename(temporary, to: path)
        } catch {
            try? files.remove(temporary)
            // Another process may have written the same key meanwhile, and swept this file away as a leftover.
            if (try? key(withId: id)) != nil { return }
            throw .unwritable(path: path, error)
        }
        do throws(FileFailure) { try files.synchronize(directory: directory) } catch {
            throw .unwritable(path: path, error)
        }
    }

    // A process that died left the key under another name. Now that the key is there nobody needs those files: whoever is
    // about to rename one finds the key instead.
    private func removeLeftovers(of id: String) {
        let prefix = id + Self.fileExtension + Self.temporaryMark
        guard let names = try? files.names(in: directory) else { return }
        for name in names where name.hasPrefix(prefix) {
            try? files.remove("\(directory)/\(name)")
        }
    }

    private func path(of id: String) -> String {
        "\(directory)/\(id)\(Self.fileExtension)"
    }

    private static let fileExtension = ".json"
    private static let temporaryMark = ".new-"

    // Hex of SHA-256 (protocol.md §1, "keyId").
    private static func isKeyId(_ id: String) -> Bool {
        id.utf8.count == 64
            && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
