/// Why a store in a file can not be used. Each names the file and what to do.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or its folder can not be opened or created.
    case cannotOpen(path: String, reason: String)
    /// The path, with the links in its folder followed, has more bytes than SQLite opens.
    case pathTooLong(path: String, limit: Int, found: Int)
    /// The file, its folder, or a file of the store beside it may be another user's doing.
    case untrusted(path: String, reason: String)
    /// The file is there but may not be written.
    case notWritable(path: String, reason: String)
    /// Another process has the store open.
    case inUse(path: String)
    /// The file is no SQLite database.
    case notADatabase(path: String)
    /// The file is a database of another program.
    case foreign(path: String)
    /// The file holds the data of somebody else, `owner`.
    case otherOwner(path: String, owner: String)
    /// The store was in use before and its file is missing or empty; `remedy` says what there is to do but to restore it.
    case lost(path: String, remedy: String)
    /// The file, or its write-ahead log, was removed, moved or replaced while the store was open. What callers ask for is
    /// refused, since it would be gone with the process.
    case moved(path: String)
    /// A newer version of this program has used the store.
    case newerSchema(path: String, found: Int, supported: Int)
    /// The file is damaged.
    case corrupt(path: String, detail: String)
    /// The disk, or the size that the store is limited to, is full.
    case full(path: String)
    /// SQLite failed otherwise.
    case failed(path: String, reason: String)
    /// The store was closed.
    case closed

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "cannot open the store \(path): \(reason); check that the folder exists and may be written"
        case .pathTooLong(let path, let limit, let found):
            "the path of the store \(path) has \(found) bytes, and SQLite opens up to \(limit); use a folder with a shorter path"
        case .untrusted(let path, let reason):
            "the store \(path) cannot be trusted: \(reason)"
        case .notWritable(let path, let reason):
            "cannot write the store \(path): \(reason); check the rights of the file and of its folder"
        case .inUse(let path):
            "the store \(path) is in use by another process; stop it, or use another store"
        case .notADatabase(let path):
            "\(path) is not a database; move it away to start with an empty store"
        case .foreign(let path):
            "\(path) is a database of another program; name another file"
        case .otherOwner(let path, let owner):
            "the store \(path) belongs to \(owner); put the right file there, or name another"
        case .lost(let path, let remedy):
            "the store \(path) is missing or empty, and it was in use before: restore it from a backup, with "
                + "\(path)-wal if there is one; \(remedy)"
        case .moved(let path):
            "the store \(path), or \(path)-wal, was removed, moved or replaced while it was in use, and nothing is accepted "
                + "any more; put the same files back, or restore a backup and start again"
        case .newerSchema(let path, let found, let supported):
            "the store \(path) has schema \(found), this version knows up to \(supported); run the newer version again"
        case .corrupt(let path, let detail):
            "the store \(path) is damaged (\(detail)); restore a backup, or move it away to start with an empty store"
        case .full(let path):
            "no space left for the store \(path); free some space on its disk, or let it be larger"
        case .failed(let path, let reason):
            "the store \(path) failed: \(reason)"
        case .closed:
            "the store is closed"
        }
    }
}
