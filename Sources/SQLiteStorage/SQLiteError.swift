import CSQLite

/// What SQLite said.
package struct SQLiteError: Error, Hashable, Sendable {
    /// An extended result code (sqlite.org, "Result and Error Codes").
    package let code: Int32
    /// SQLite's words; they name tables and columns, never values.
    package let message: String

    /// The file has the size that it may have.
    package static let full = SQLiteError(code: SQLITE_FULL, message: "the file is as large as it may be")

    /// The code's family, such as `SQLITE_CORRUPT`.
    package var primary: Int32 { code & 0xff }
}
