public import PushCrypto

/// Why keys can not be kept or found. Each says which file is meant and what to do; none shows a key.
public enum KeyCacheError: Error, Hashable, Sendable {
    /// The directory can not be made or looked at.
    case directoryUnusable(path: String, FileFailure)
    /// Others than the owner can enter the directory; its permission bits are given.
    case directoryExposed(path: String, permissions: UInt16)
    /// The key's file can not be read.
    case unreadable(path: String, FileFailure)
    /// The key's file does not hold that key. It is never overwritten.
    case corrupt(path: String, reason: String)
    /// The key's file was written by newer software.
    case unsupportedVersion(path: String, found: Int)
    /// The key can not be written; nothing was changed, or the key is there and may not yet be on the disk.
    case unwritable(path: String, FileFailure)
    /// The space's id is longer than any.
    case spaceIdTooLong(limit: Int, found: Int)
    /// The space row's keys can not be used.
    case unusableRow(SpacePushKeys.RowError)
}

extension KeyCacheError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .directoryUnusable(let path, let failure):
            "\(path): cannot be used as the key directory: \(failure); make it a directory of this user's, mode 0700"
        case .directoryExposed(let path, let permissions):
            "\(path): other users can enter the key directory (mode 0\(String(permissions, radix: 8))); "
                + "expected 0700: run chmod 700 on it"
        case .unreadable(let path, let failure):
            "\(path): the key file cannot be read: \(failure); make it readable for this user, or move it away and add "
                + "the space's key again"
        case .corrupt(let path, let reason):
            "\(path): not a key file: \(reason); move it away and add the space's key again"
        case .unsupportedVersion(let path, let found):
            "\(path): key file of version \(found), this software reads \(KeyRecord.version): update it"
        case .unwritable(let path, let failure):
            "\(path): the key file cannot be written: \(failure); free space or fix the directory, then add the key again"
        case .spaceIdTooLong(let limit, let found):
            "the space id has \(found) bytes, at most \(limit) are stored"
        case .unusableRow(let error):
            "the space row's keys cannot be used: \(error)"
        }
    }
}
