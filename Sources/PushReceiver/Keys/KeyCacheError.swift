public import PushCrypto
public import SecretFiles

/// Why keys can not be kept or found. Each says which file is meant and what to do; none shows a key.
public enum KeyCacheError: Error, Hashable, Sendable {
    /// The directory can not be made or looked at, or others than the owner can enter it.
    case directoryUnusable(FileError)
    /// The key's file can not be read.
    case unreadable(FileError)
    /// The key's file does not hold that key. It is never overwritten.
    case corrupt(path: String, reason: String)
    /// The key's file was written by newer software.
    case unsupportedVersion(path: String, found: Int)
    /// The key can not be written; nothing was changed, or the key is there and may not yet be on the disk.
    case unwritable(FileError)
    /// The space's id is empty, or longer than any.
    case unusableSpaceId(limit: Int, found: Int)
    /// The space row's keys can not be used.
    case unusableRow(SpacePushKeys.RowError)
}

extension KeyCacheError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .directoryUnusable(let error): "the key directory cannot be used: \(error)"
        case .unreadable(let error):
            "the key file cannot be read: \(error); or move it away and add the space's key again"
        case .corrupt(let path, let reason):
            "\(path): not a key file: \(reason); move it away and add the space's key again"
        case .unsupportedVersion(let path, let found):
            "\(path): key file of version \(found), this software reads \(KeyRecord.version): update it"
        case .unwritable(let error): "the key file cannot be written: \(error); then add the key again"
        case .unusableSpaceId(let limit, let found):
            "the space id has \(found) bytes, expected 1 to \(limit)"
        case .unusableRow(let error):
            "the space row's keys cannot be used: \(error)"
        }
    }
}
