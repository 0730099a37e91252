import ProtoWire
import SQLiteStorage

extension SQLiteValue {
    /// A text that need not be UTF-8.
    static func text(_ text: WireString) -> SQLiteValue { .bytes(text.bytes) }

    static func time(_ time: NodeTime) -> SQLiteValue { .integer(time.milliseconds) }

    static func time(_ time: UnixTime) -> SQLiteValue { .integer(time.milliseconds) }
}
