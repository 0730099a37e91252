public import ProtoWire

/// A message of the push API, proto package `pushproto` (protocol.md §4).
public protocol PushMessage: Hashable, Sendable {
    /// Reads a message: fields in any order, unknown ones skipped, split ones merged.
    ///
    /// - Parameter bytes: one protobuf message.
    /// - Throws: `ProtoError` when it is malformed.
    init(bytes: ArraySlice<UInt8>) throws(ProtoError)

    /// Appends the message's fields, in ascending number and without default values.
    func write(to writer: inout ProtoWriter)
}

extension PushMessage {
    /// Reads a whole message; see ``init(bytes:)-(ArraySlice<UInt8>)``.
    public init(bytes: [UInt8]) throws(ProtoError) {
        try self.init(bytes: bytes[...])
    }

    /// The message's bytes.
    public func encoded() -> [UInt8] {
        var writer = ProtoWriter()
        write(to: &writer)
        return writer.bytes
    }
}

/// The empty message: the answer to every call but Subscriptions, and the request of RevokeToken.
public struct Ok: PushMessage {
    /// The message.
    public init() {}

    public init(bytes: ArraySlice<UInt8>) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        while try reader.nextField() != nil { try reader.skip() }
    }

    public func write(to writer: inout ProtoWriter) {}
}
