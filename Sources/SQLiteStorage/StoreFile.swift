import CSQLite
import Glibc
import SecretFiles

/// The file of a store: how it is opened, checked and brought up to date, before anything relies on it.
package struct StoreFile: Sendable {
    /// Where it is.
    package let path: String
    /// Marks the files of one purpose among SQLite databases (sqlite.org, "PRAGMA application_id"); not 0.
    package let applicationId: Int32
    /// What makes the newest schema: number n takes a file from version n - 1 to n. One that was released never
    /// changes.
    package var migrations: [String]
    /// The most pages of 4096 bytes it may have, `nil` for as many as the disk has room for.
    package var maximumPages: Int?

    /// A file that is not open yet; see the properties.
    package init(path: String, applicationId: Int32, migrations: [String], maximumPages: Int? = nil) {
        self.path = path
        self.applicationId = applicationId
        self.migrations = migrations
        self.maximumPages = maximumPages
    }

    /// Opens the file, creating it when there is none and there may be none. A file that is lost is not made anew: nothing is
    /// touched then.
    ///
    /// - Parameter expectation: whether there may be none.
    /// - Returns: a connection to a file that is ours, whole, writable and of the newest schema. No other process can
    ///   use it meanwhile.
    package func open(expecting expectation: StoreExpectation = .mayBeNew) throws(StoreError) -> SQLiteConnection {
        try requirePresent(expectation)
        let real = try trustedPath()
        try requireShort(real)
        try create()
        let connection = try translated { () throws(SQLiteError) in
            let connection = try SQLiteConnection(path: real)
            // Two processes on one store would undo each other's work. It also spares the file of shared memory.
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            return connection
        }
        try checkOwner(connection, expectation)
        try translated { () throws(SQLiteError) in
            try connection.execute(
                """
                PRAGMA journal_mode = WAL;
                PRAGMA synchronous = FULL;
                PRAGMA journal_size_limit = 67108864;
                PRAGMA cache_size = -16384;
                PRAGMA temp_store = MEMORY;
                PRAGMA secure_delete = FAST;
                PRAGMA trusted_schema = OFF;
                """
            )
            if let maximumPages { try connection.execute("PRAGMA max_page_count = \(maximumPages)") }
        }
        try checkWhole(connection)
        try migrate(connection)
        guard let place = StorePlace(of: path), !connection.hasMoved else { throw .moved(path: path) }
        connection.place = place
        return connection
    }

    /// Runs SQL and says what its errors mean for this file.
    package func translated<T>(_ body: () throws(SQLiteError) -> T) throws(StoreError) -> T {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw StoreError(error, path: path)
        }
    }

    // Before SQLite looks, which deletes the write-ahead log of a file that is empty.
    private func requirePresent(_ expectation: StoreExpectation) throws(StoreError) {
        guard Self.size(of: path) == 0 else { return }
        let log = path + "-wal"
        if Self.size(of: log) > 0 {
            throw .lost(
                path: path, remedy: "\(log) is there and holds the last changes: to begin anew, move it away first")
        }
        if case .exists(let remedy) = expectation { throw .lost(path: path, remedy: remedy) }
    }

    // 0 for a file that is not there.
    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The path without links in its folder, for SQLite follows none. Refuses what another user may have put there; nobody
    /// else can put anything there afterwards.
    private func trustedPath() throws(StoreError) -> String {
        do throws(FileError) {
            let folder = Paths.folder(of: path)
            try Folder.requireTrusted(folder)
            for name in ["", "-wal", "-journal"] { try OwnFile.check(path + name) }
            return Paths.join(try Folder.real(folder), Paths.name(of: path))
        } catch {
            // The folder is missing, or cannot be looked at.
            if case .failed(_, _, let code) = error {
                throw .cannotOpen(path: path, reason: String(cString: strerror(code)))
            }
            throw .untrusted(path: path, reason: "\(error)")
        }
    }

    // SQLite itself says no more than that it cannot open the file. The names of its helper files must fit as well, of which
    // `-journal` is the longest (sqlite.org, pager.c: "nPathname+8>pVfs->mxPathname").
    private func requireShort(_ real: String) throws(StoreError) {
        guard let system = sqlite3_vfs_find(nil) else { return }
        let limit = Int(system.pointee.mxPathname) - "-journal".utf8.count
        guard real.utf8.count <= limit else {
            throw .pathTooLong(path: path, limit: limit, found: real.utf8.count)
        }
    }

    // SQLite would go by the process's umask, and the file holds tokens. Its helper files get the rights of this one.
    private func create() throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor < 0 else {
            Glibc.close(descriptor)
            return
        }
        let reason = String(cString: strerror(errno))
        switch errno {
        case EROFS, EACCES, EPERM: throw .notWritable(path: path, reason: reason)
        case ENOSPC, EDQUOT: throw .full(path: path)
        default: throw .cannotOpen(path: path, reason: reason)
        }
    }

    private func checkOwner(_ connection: SQLiteConnection, _ expectation: StoreExpectation) throws(StoreError) {
        let (owner, tables) = try translated { () throws(SQLiteError) in
            let owner = try connection.first("PRAGMA application_id") { $0.integer(0) }
            let tables = try connection.first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
            return (owner ?? 0, tables ?? 0)
        }
        let isFresh = owner == 0 && tables == 0
        guard isFresh || owner == Int64(applicationId) else { throw .foreign(path: path) }
        if isFresh, case .exists(let remedy) = expectation { throw .lost(path: path, remedy: remedy) }
        let version = try version(of: connection)
        guard version <= migrations.count else {
            throw .newerSchema(path: path, found: version, supported: migrations.count)
        }
    }

    private func checkWhole(_ connection: SQLiteConnection) throws(StoreError) {
        let finding = try translated { () throws(SQLiteError) in
            try connection.first("PRAGMA quick_check(1)") { $0.text(0) }
        }
        guard finding == "ok" else { throw .corrupt(path: path, detail: finding ?? "it can not be checked") }
    }

    // Also when there is nothing to migrate the version is written, which proves that the file takes writes.
    private func migrate(_ connection: SQLiteConnection) throws(StoreError) {
        let version = try version(of: connection)
        try translated { () throws(SQLiteError) in
            try connection.execute("BEGIN IMMEDIATE")
            for migration in migrations[version...] {
                try connection.execute(migration)
            }
            try connection.execute(
                """
                PRAGMA application_id = \(applicationId);
                PRAGMA user_version = \(migrations.count);
                COMMIT
                """
            )
        }
    }

    private func version(of connection: SQLiteConnection) throws(StoreError) -> Int {
        try translated { () throws(SQLiteError) in
            Int(try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0)
        }
    }
}
