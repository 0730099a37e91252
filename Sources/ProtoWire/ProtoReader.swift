/// A cursor over the fields of one protobuf message.
///
/// Reading never allocates by a declared length: every value is a slice of the input. Call ``nextField()`` until it returns
/// `nil`; after each field read its value with the accessor of its declared type, or ``skip()`` it.
///
/// ```swift
/// var reader = ProtoReader(bytes)
/// while let field = try reader.nextField() {
///     switch field {
///     case 1: token = try reader.string()
///     default: try reader.skip()
///     }
/// }
/// ```
public struct ProtoReader {
    /// How deep unknown groups may nest before the message is refused.
    public static let maximumGroupDepth = 64

    private var input: ArraySlice<UInt8>
    private var field = 0
    private var wireType = ProtoWireType.varint

    /// A reader over a whole message.
    public init(_ bytes: [UInt8]) {
        input = bytes[...]
    }

    /// A reader over a message embedded in a larger buffer.
    public init(_ bytes: ArraySlice<UInt8>) {
        input = bytes
    }

    /// Moves to the next field.
    ///
    /// - Returns: the field's number, or `nil` at the end of the message.
    /// - Throws: ``ProtoError`` for a malformed tag or a stray end-group.
    public mutating func nextField() throws(ProtoError) -> Int? {
        guard !input.isEmpty else { return nil }
        (field, wireType) = try readTag()
        guard wireType != .endGroup else { throw .strayEndGroup }
        return field
    }

    /// The current field as a varint.
    public mutating func varint() throws(ProtoError) -> UInt64 {
        try require(.varint)
        return try readVarint()
    }

    /// The current field as an `int32` or enum: the low 32 bits, as the reference truncates.
    public mutating func int32() throws(ProtoError) -> Int32 {
        Int32(truncatingIfNeeded: try varint())
    }

    /// The current field as a `uint32`: the low 32 bits.
    public mutating func uint32() throws(ProtoError) -> UInt32 {
        UInt32(truncatingIfNeeded: try varint())
    }

    /// The current field as an `int64`.
    public mutating func int64() throws(ProtoError) -> Int64 {
        Int64(bitPattern: try varint())
    }

    /// The current field's bytes, as a view of the input.
    public mutating func slice() throws(ProtoError) -> ArraySlice<UInt8> {
        try require(.lengthDelimited)
        return try readLengthDelimited()
    }

    /// The current field's bytes.
    public mutating func bytes() throws(ProtoError) -> [UInt8] {
        Array(try slice())
    }

    /// The current field as a string; bytes that are not UTF-8 are kept.
    public mutating func string() throws(ProtoError) -> WireString {
        WireString(bytes: try slice())
    }

    /// Appends the current field's values to a repeated enum, packed or not.
    public mutating func appendEnums(to values: inout [Int32]) throws(ProtoError) {
        guard wireType == .lengthDelimited else {
            values.append(try int32())
            return
        }
        var packed = ProtoReader(try slice())
        while !packed.input.isEmpty {
            values.append(Int32(truncatingIfNeeded: try packed.readVarint()))
        }
    }

    /// Passes over the current field, whatever its type.
    public mutating func skip() throws(ProtoError) {
        try skipValue(of: field, type: wireType, depth: 0)
    }

    private mutating func skipValue(of field: Int, type: ProtoWireType, depth: Int) throws(ProtoError) {
        switch type {
        case .varint: _ = try readVarint()
        case .fixed64: _ = try take(8)
        case .fixed32: _ = try take(4)
        case .lengthDelimited: _ = try readLengthDelimited()
        case .endGroup: throw .strayEndGroup
        case .startGroup:
            guard depth < Self.maximumGroupDepth else { throw .groupsTooDeep }
            while true {
                let (inner, type) = try readTag()
                if type == .endGroup {
                    guard inner == field else { throw .strayEndGroup }
                    return
                }
                try skipValue(of: inner, type: type, depth: depth + 1)
            }
        }
    }

    private func require(_ expected: ProtoWireType) throws(ProtoError) {
        guard wireType == expected else { throw .wrongWireType(field: field, found: wireType) }
    }

    private mutating func readTag() throws(ProtoError) -> (Int, ProtoWireType) {
        let tag = try readVarint()
        let number = tag >> 3
        guard number > 0, number < 1 << 29 else { throw .illegalFieldNumber(number) }
        let raw = UInt8(tag & 7)
        guard let type = ProtoWireType(rawValue: raw) else { throw .illegalWireType(raw) }
        return (Int(number), type)
    }

    private mutating func readLengthDelimited() throws(ProtoError) -> ArraySlice<UInt8> {
        let length = try readVarint()
        guard length <= UInt64(input.count) else { throw .truncated }
        return try take(Int(length))
    }

    private mutating func take(_ count: Int) throws(ProtoError) -> ArraySlice<UInt8> {
        guard count <= input.count else { throw .truncated }
        let head = input.prefix(count)
        input = input.dropFirst(count)
        return head
    }

    private mutating func readVarint() throws(ProtoError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var index = input.startIndex
        while index < input.endIndex {
            let byte = input[index]
            index += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                input = input[index...]
                return value
            }
            shift += 7
            guard shift < 70 else { throw .varintOverflow }
        }
        throw .truncated
    }
}
