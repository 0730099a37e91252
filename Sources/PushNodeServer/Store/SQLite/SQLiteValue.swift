import CSQLite
import ProtoWire

/// A parameter of a statement. Text is bound as bytes, for what peers send need not be UTF-8.
enum SQLiteValue {
    case null
    case integer(Int64)
    case bytes([UInt8])

    static func text(_ text: WireString) -> SQLiteValue { .bytes(text.bytes) }
    static func time(_ time: UnixTime) -> SQLiteValue { .integer(time.milliseconds) }
    static func flag(_ flag: Bool) -> SQLiteValue { .integer(flag ? 1 : 0) }
}

/// What SQLite said.
struct SQLiteError: Error, Hashable, Sendable {
    /// An extended result code (sqlite.org, "Result and Error Codes").
    let code: Int32
    /// SQLite's words; they name tables and columns, never values.
    let message: String

    /// The code's family, such as `SQLITE_CORRUPT`.
    var primary: Int32 { code & 0xff }
}
