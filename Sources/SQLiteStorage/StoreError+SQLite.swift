import CSQLite

extension StoreError {
    /// What an SQLite error means for the store at `path`.
    package init(_ error: SQLiteError, path: String) {
        switch error.primary {
        case SQLITE_FULL: self = .full(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: self = .inUse(path: path)
        case SQLITE_NOTADB: self = .notADatabase(path: path)
        case SQLITE_CORRUPT: self = .corrupt(path: path, detail: error.message)
        case SQLITE_READONLY, SQLITE_PERM: self = .notWritable(path: path, reason: error.message)
        case SQLITE_CANTOPEN, SQLITE_AUTH: self = .cannotOpen(path: path, reason: error.message)
        default: self = .failed(path: path, reason: "\(error.message) (SQLite code \(error.code))")
        }
    }
}
