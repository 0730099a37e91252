package import ProtoWire

/// A protobuf message of an ACL record (protocol.md §2).
///
/// Byte fields are views of the record they were read from, so reading allocates for repeated fields only, in proportion
/// to the input. A byte field is `nil` only where its absence means something.
package protocol ACLMessage: Hashable, Sendable {
    init()

    /// Reads the field that `reader` stands on, or skips it when it is unknown.
    mutating func read(_ field: Int, _ reader: inout ProtoReader) throws(ProtoError)

    /// Writes the fields in ascending number.
    func write(to writer: inout ProtoWriter)
}

extension ACLMessage {
    /// Reads a whole message.
    package init(decoding bytes: ArraySlice<UInt8>) throws(ProtoError) {
        self.init()
        try merge(bytes)
    }

    /// Reads another occurrence of a singular message: its fields replace those read before, its elements are added.
    mutating func merge(_ bytes: ArraySlice<UInt8>) throws(ProtoError) {
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            try read(field, &reader)
        }
    }

    /// The message on the wire.
    package func marshalled() -> [UInt8] {
        var writer = ProtoWriter()
        write(to: &writer)
        return writer.bytes
    }
}

extension ProtoWriter {
    /// Writes an embedded message that is present, empty or not.
    mutating func message(_ field: Int, _ message: some ACLMessage) {
        element(field, message.marshalled())
    }

    /// Writes a byte field whose presence means something.
    mutating func optional(_ field: Int, _ value: ArraySlice<UInt8>?) {
        if let value { element(field, value) }
    }
}
