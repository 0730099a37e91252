public import ProtoWire

/// A record of an ACL log as it is stored and sent: `RawRecordWithId` of protocol.md §2.
public struct RawRecordWithId: Hashable, Sendable {
    /// The marshalled record with its signatures.
    public var payload: [UInt8]
    /// The ``CID`` of ``payload``.
    public var id: String

    /// A record with the id that it claims.
    public init(payload: [UInt8], id: String) {
        self.payload = payload
        self.id = id
    }

    /// Reads a record.
    ///
    /// - Parameter marshalled: the protobuf message.
    /// - Throws: `ProtoError` when it is none.
    public init(marshalled: [UInt8]) throws(ProtoError) {
        try self.init(decoding: marshalled[...])
    }

    /// The record as a protobuf message.
    public func marshalled() -> [UInt8] {
        var writer = ProtoWriter(reserving: payload.count + id.utf8.count + 16)
        write(to: &writer)
        return writer.bytes
    }

    /// A record with the id that its payload gives it.
    init(_ record: RawRecord) {
        payload = record.marshalled()
        id = CID(of: payload).text
    }
}

extension RawRecordWithId: ACLMessage {
    package init() {
        self.init(payload: [], id: "")
    }

    package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
        switch field {
        case 1: payload = try reader.bytes()
        case 2: id = try reader.string().string
        default: try reader.skip()
        }
    }

    package func write(to writer: inout ProtoWriter) {
        writer.bytes(1, payload)
        writer.string(2, id)
    }
}

/// What ``RawRecordWithId/payload`` holds: a record, its author's signature and its acceptor's.
package struct RawRecord: ACLMessage {
    package var payload: ArraySlice<UInt8> = []
    package var signature: ArraySlice<UInt8> = []
    package var acceptorIdentity: ArraySlice<UInt8> = []
    package var acceptorSignature: ArraySlice<UInt8> = []
    package var acceptorTimestamp: Int64 = 0

    package init() {}

    package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
        switch field {
        case 1: payload = try reader.slice()
        case 2: signature = try reader.slice()
        case 3: acceptorIdentity = try reader.slice()
        case 4: acceptorSignature = try reader.slice()
        case 5: acceptorTimestamp = try reader.int64()
        default: try reader.skip()
        }
    }

    package func write(to writer: inout ProtoWriter) {
        writer.bytes(1, payload)
        writer.bytes(2, signature)
        writer.bytes(3, acceptorIdentity)
        writer.bytes(4, acceptorSignature)
        writer.int64(5, acceptorTimestamp)
    }
}

/// Any record after the first: `Record` of protocol.md §2.
package struct ACLRecord: ACLMessage {
    package var prevId = WireString("")
    package var identity: ArraySlice<UInt8> = []
    package var data: ArraySlice<UInt8> = []
    package var timestamp: Int64 = 0

    package init() {}

    package mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError) {
        switch field {
        case 1: prevId = try reader.string()
        case 2: identity = try reader.slice()
        case 3: data = try reader.slice()
        case 4: timestamp = try reader.int64()
        default: try reader.skip()
        }
    }

    package func write(to writer: inout ProtoWriter) {
        writer.string(1, prevId)
        writer.bytes(2, identity)
        writer.bytes(3, data)
        writer.int64(4, timestamp)
    }
}
