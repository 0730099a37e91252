import ProtoWire

/// The protobuf form of a key, "marshalled key" in protocol.md §1: `Key { Type:1 enum, Data:2 bytes }`.
enum KeyMessage {
    static func encode(_ type: KeyType, _ data: some Collection<UInt8>) -> [UInt8] {
        var writer = ProtoWriter(reserving: data.count + 6)
        writer.int32(1, type.rawValue)
        writer.bytes(2, data)
        return writer.bytes
    }

    /// Makes a key of the data of a marshalled one.
    ///
    /// - Parameters:
    ///   - bytes: the marshalled key.
    ///   - type: the type that it must have.
    ///   - make: takes the data and judges its length.
    static func decode<Key>(
        _ bytes: some Collection<UInt8>, as type: KeyType, _ make: (ArraySlice<UInt8>) throws(KeyError) -> Key
    ) throws(KeyError) -> Key {
        var message = Array(bytes)
        // Not the caller's own bytes: zeroing an array that is shared zeroes a copy of it.
        defer { if type != .ed25519Public { Sodium.zero(&message) } }
        return try make(message[try dataRange(of: message, as: type)])
    }

    private static func dataRange(of message: [UInt8], as type: KeyType) throws(KeyError) -> Range<Int> {
        var found: Int32 = 0
        var data: ArraySlice<UInt8> = []
        do throws(ProtoError) {
            var reader = ProtoReader(message)
            while let field = try reader.nextField() {
                switch field {
                case 1: found = try reader.int32()
                case 2: data = try reader.slice()
                default: try reader.skip()
                }
            }
        } catch {
            throw .malformed(error)
        }
        guard found == type.rawValue else { throw .wrongType(expected: type, found: found) }
        return data.indices
    }
}
