import CSQLite

/// One connection to an SQLite file, with its prepared statements. Used by one thread at a time.
///
/// SQLite's pointers stay in this file.
package final class SQLiteConnection {
    private let handle: OpaquePointer
    // By the address of the statement's literal, which is as good as its text and cheaper to look up.
    private var statements: [UnsafePointer<UInt8>: OpaquePointer] = [:]
    /// Where the files were when ``StoreFile`` opened them; `nil` for a connection that it did not open.
    var place: StorePlace?

    /// Opens a file, creating an empty one when there is none. No part of the path may be a symbolic link.
    package init(path: String) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_EXRESCODE
        let status = sqlite3_open_v2(path, &opened, flags, nil)
        guard status == SQLITE_OK, let opened else {
            // SQLite gives a handle even for most failures; it holds the reason and must be closed.
            let error = SQLiteError(code: status, message: Self.message(opened))
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Whether the files are still those at the store's path. What is committed otherwise is gone with the process.
    package var isInPlace: Bool { place?.isIntact ?? true }

    /// Whether SQLite finds another file, or none, at the path of the one that it has open.
    var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    /// Runs SQL that has no parameters and whose rows do not matter, such as a schema or a pragma.
    package func execute(_ sql: String) throws(SQLiteError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Runs a statement that has no rows.
    package func run(_ sql: StaticString, _ values: SQLiteValue...) throws(SQLiteError) {
        try each(sql, values) { _ throws(SQLiteError) in }
    }

    /// The first row of a query, `nil` without one.
    package func first<T>(_ sql: StaticString, _ values: SQLiteValue..., read: (Row) -> T) throws(SQLiteError) -> T? {
        var result: T?
        try each(sql, values) { row throws(SQLiteError) in
            if result == nil { result = read(row) }
        }
        return result
    }

    /// Every row of a query.
    package func all<T>(_ sql: StaticString, _ values: SQLiteValue..., read: (Row) -> T) throws(SQLiteError) -> [T] {
        var result: [T] = []
        try each(sql, values) { row throws(SQLiteError) in result.append(read(row)) }
        return result
    }

    /// How many rows the last INSERT, UPDATE or DELETE touched.
    package var changes: Int {
        Int(sqlite3_changes(handle))
    }

    /// What all statements have cost so far, in steps of SQLite's machine: the same on every machine, however busy.
    package var steps: Int {
        statements.values.reduce(0) { $0 + Int(sqlite3_stmt_status($1, SQLITE_STMTSTATUS_VM_STEP, 0)) }
    }

    /// The id of the row inserted last.
    package var insertedId: Int64 {
        sqlite3_last_insert_rowid(handle)
    }

    /// Whether a transaction is open. SQLite ends one by itself when the disk is full or fails.
    package var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    private func each(
        _ sql: StaticString, _ values: [SQLiteValue], _ body: (Row) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            try bind(value, to: statement, at: Int32(index + 1))
        }
        while true {
            let status = sqlite3_step(statement)
            if status == SQLITE_DONE { return }
            guard status == SQLITE_ROW else { throw SQLiteError(code: status, message: Self.message(handle)) }
            try body(Row(statement: statement))
        }
    }

    private func prepared(_ sql: StaticString) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[sql.utf8Start] { return statement }
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
        try check(sqlite3_prepare_v3(handle, text, Int32(sql.utf8CodeUnitCount), flags, &statement, nil))
        guard let statement else { throw SQLiteError(code: SQLITE_MISUSE, message: "an empty statement") }
        statements[sql.utf8Start] = statement
        return statement
    }

    private func bind(_ value: SQLiteValue, to statement: OpaquePointer, at index: Int32) throws(SQLiteError) {
        let status =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .bytes(let bytes):
                // A null pointer would bind NULL, so an empty value needs SQLite's own way to say it.
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : bytes.withUnsafeBytes {
                        csqlite_bind_blob_copy(statement, index, $0.baseAddress, Int32(clamping: $0.count))
                    }
            }
        try check(status)
    }

    private func check(_ status: Int32) throws(SQLiteError) {
        guard status == SQLITE_OK else { throw SQLiteError(code: status, message: Self.message(handle)) }
    }

    private static func message(_ handle: OpaquePointer?) -> String {
        guard let text = sqlite3_errmsg(handle) else { return "out of memory" }
        return String(cString: text)
    }

    /// The current row of a query, for the time of the call it is handed to.
    package struct Row {
        fileprivate let statement: OpaquePointer

        package func integer(_ column: Int32) -> Int64 {
            sqlite3_column_int64(statement, column)
        }

        /// The column's bytes; none for NULL.
        package func bytes(_ column: Int32) -> [UInt8] {
            guard let start = sqlite3_column_blob(statement, column) else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }

        package func text(_ column: Int32) -> String {
            String(decoding: bytes(column), as: UTF8.self)
        }

        package func isNull(_ column: Int32) -> Bool {
            sqlite3_column_type(statement, column) == SQLITE_NULL
        }
    }
}
