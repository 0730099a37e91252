/// Why bytes are not a well-formed protobuf message (protocol.md, "proto").
public enum ProtoError: Error, Hashable, Sendable {
    /// A varint, a fixed-size value or a length reaches past the end of the input.
    case truncated
    /// A varint is longer than 10 bytes. Bits of a tenth byte past 64 are dropped, as the reference drops them.
    case varintOverflow
    /// A tag carries field number 0 or one above 2^29 - 1.
    case illegalFieldNumber(UInt64)
    /// A tag carries wire type 6 or 7.
    case illegalWireType(UInt8)
    /// An end-group tag without its start, or one that closes another group.
    case strayEndGroup
    /// Groups are nested deeper than ``ProtoReader/maximumGroupDepth``.
    case groupsTooDeep
    /// A known field has another wire type than its declaration.
    case wrongWireType(field: Int, found: ProtoWireType)
}

/// How a field's value is laid out on the wire.
public enum ProtoWireType: UInt8, Hashable, Sendable {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case startGroup = 3
    case endGroup = 4
    case fixed32 = 5
}
