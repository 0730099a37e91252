import ProtoWire

/// The protobuf form of a key, "marshalled key" in protocol.md §1: `Key { Type:1 enum, Data:2 bytes }`.
enum KeyMessage {
    static func encode(_ type: KeyType, _ data: some Collection<UInt8>) -> [UInt8] {
        var writer = ProtoWriter(reserving: data.count + 6)
        writer.int32(1, type.rawValue)
        writer.bytes(2, data)
        return writer.bytes
    }

    /// The data of a marshalled key of the given type; its length is for the caller to judge.
    static func decode(_ bytes: some Collection<UInt8>, as type: KeyType) throws(KeyError) -> ArraySlice<UInt8> {
        var found: Int32 = 0
        var data: ArraySlice<UInt8> = []
        do throws(ProtoError) {
            var reader = ProtoReader(Array(bytes))
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
        return data
    }
}
