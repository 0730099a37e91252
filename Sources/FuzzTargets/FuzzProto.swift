import AnySyncWire
import ProtoWire

/// Reads any bytes as a protobuf message, every field by the type that its number chooses, and as each handshake
/// message; what a message holds must survive being written.
public func fuzzProto(_ bytes: [UInt8]) {
    var reader = ProtoReader(bytes)
    var total = 0
    while let field = try? reader.nextField() {
        let size: Int?
        switch field % 5 {
        case 0: size = (try? reader.varint()).map { _ in 1 }
        case 1: size = (try? reader.slice())?.count
        case 2:
            var values: [Int32] = []
            size = (try? reader.appendEnums(to: &values)).map { values.count }
        case 3: size = (try? reader.string())?.bytes.count
        default: size = (try? reader.skip()).map { 0 }
        }
        guard let size else { break }
        total += size
    }
    precondition(total <= bytes.count, "more was read than there is")

    if let message = try? Credentials(decoding: bytes[...]) {
        precondition((try? Credentials(decoding: message.encoded[...])) == message)
    }
    if let message = try? SignedPeerIds(decoding: bytes) {
        precondition((try? SignedPeerIds(decoding: message.encoded)) == message)
    }
    if let message = try? HandshakeAck(decoding: bytes[...]) {
        precondition((try? HandshakeAck(decoding: message.encoded[...])) == message)
    }
    if let message = try? ProtoOffer(decoding: bytes[...]) {
        precondition((try? ProtoOffer(decoding: message.encoded[...])) == message)
    }
}
