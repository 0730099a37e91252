public import PushCrypto
package import SecretFiles

/// The payload encryption keys of a device's spaces, in files that outlive the process.
///
/// A notification can be older than a space's current key, or belong to a space that was left since, so keys are only ever
/// added: nothing here deletes or changes one. Add the key of every space row that is seen, at every start and whenever a
/// row changes; a key that is already there costs a look.
///
/// Each key has a file of its own, <doc:KeyFileFormat>. A file gets its name when it is whole and on the disk, and it is
/// never written again. So there is nothing that two processes, such as an app and its notification extension, could take
/// from each other, and nothing to lock or to wait for; a process that dies while it adds a key leaves either the whole key
/// or none; and a damaged file costs one key.
public struct KeyCache: PayloadKeySource {
    /// Where the files are.
    public let directory: String

    private let fault: SecretFile.Fault

    /// A cache in a directory, which is made when it is missing.
    ///
    /// - Parameter directory: its path; only its owner may have access to it.
    /// - Throws: ``KeyCacheError/directoryUnusable(_:)``.
    public init(directory: String) throws(KeyCacheError) {
        try self.init(directory: directory) { _ in nil }
    }

    /// A cache whose files fail at the steps that `fault` says.
    package init(directory: String, fault: @escaping SecretFile.Fault) throws(KeyCacheError) {
        self.directory = directory
        self.fault = fault
        do throws(FileError) {
            try Folder.create(directory)
            try Folder.requirePrivate(directory)
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
        // Also keeps ids such as `../x` away from the file system.
        guard Self.isKeyId(id) else { return nil }
        let file = file(of: id)
        let content: [UInt8]?
        do throws(FileError) {
            content = try file.read(limit: KeyRecord.maximumByteCount, followsLinks: false)
        } catch {
            if case .tooLarge(let path, let limit) = error {
                throw .corrupt(path: path, reason: "longer than \(limit) bytes")
            }
            throw .unreadable(error)
        }
        guard var content else { return nil }
        defer { Sodium.zero(&content) }
        return try KeyRecord.key(in: content, id: id, path: file.path)
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

    private func file(of id: String) -> SecretFile {
        SecretFile(path: "\(directory)/\(id).json", fault: fault)
    }

    // Hex of SHA-256 (protocol.md §1, "keyId").
    private static func isKeyId(_ id: String) -> Bool {
        id.utf8.count == 64
            && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
