/// Builds one protobuf message. The caller writes fields in ascending number; default values are left out, as the reference
/// leaves them out.
public struct ProtoWriter {
    /// What was written so far.
    public private(set) var bytes: [UInt8]

    /// An empty message.
    ///
    /// - Parameter capacity: bytes to reserve.
    public init(reserving capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Writes an unsigned integer or bool field unless it is 0.
    public mutating func varint(_ field: Int, _ value: UInt64) {
        guard value != 0 else { return }
        tag(field, .varint)
        appendVarint(value)
    }

    /// Writes an `int32` or enum field unless it is 0; negative numbers take 10 bytes.
    public mutating func int32(_ field: Int, _ value: Int32) {
        varint(field, UInt64(bitPattern: Int64(value)))
    }

    /// Writes an `int64` field unless it is 0.
    public mutating func int64(_ field: Int, _ value: Int64) {
        varint(field, UInt64(bitPattern: value))
    }

    /// Writes a bytes field unless it is empty.
    public mutating func bytes(_ field: Int, _ value: some Collection<UInt8>) {
        guard !value.isEmpty else { return }
        element(field, value)
    }

    /// Writes a string field unless it is empty.
    public mutating func string(_ field: Int, _ value: WireString) {
        bytes(field, value.bytes)
    }

    /// Writes a string field unless it is empty.
    public mutating func string(_ field: Int, _ value: String) {
        bytes(field, value.utf8)
    }

    /// Writes an element of a repeated field, or a message that is present: empty ones too.
    public mutating func element(_ field: Int, _ value: some Collection<UInt8>) {
        tag(field, .lengthDelimited)
        appendVarint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a message field that is present, empty or not.
    ///
    /// - Parameters:
    ///   - field: the field's number.
    ///   - build: writes the embedded message.
    public mutating func message(_ field: Int, _ build: (inout ProtoWriter) -> Void) {
        tag(field, .lengthDelimited)
        // Written in place: most messages are short enough for the one byte of length that is kept free for them.
        let start = bytes.count
        bytes.append(0)
        build(&self)
        let length = bytes.count - start - 1
        guard length >= 0x80 else {
            bytes[start] = UInt8(length)
            return
        }
        var prefix = ProtoWriter()
        prefix.appendVarint(UInt64(length))
        bytes.replaceSubrange(start...start, with: prefix.bytes)
    }

    /// Writes a repeated enum, packed, unless it is empty.
    public mutating func packedEnums(_ field: Int, _ values: [Int32]) {
        guard !values.isEmpty else { return }
        var packed = ProtoWriter()
        for value in values {
            packed.appendVarint(UInt64(bitPattern: Int64(value)))
        }
        element(field, packed.bytes)
    }

    private mutating func tag(_ field: Int, _ type: ProtoWireType) {
        appendVarint(UInt64(field) << 3 | UInt64(type.rawValue))
    }

    private mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
