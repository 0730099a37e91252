/// A parameter of a statement. Text is bound as bytes, for what peers send need not be UTF-8.
package enum SQLiteValue: Sendable {
    case null
    case integer(Int64)
    case bytes([UInt8])

    /// The UTF-8 bytes of a text.
    package static func text(_ text: String) -> SQLiteValue { .bytes(Array(text.utf8)) }

    /// 1 for true, 0 for false.
    package static func flag(_ flag: Bool) -> SQLiteValue { .integer(flag ? 1 : 0) }
}
