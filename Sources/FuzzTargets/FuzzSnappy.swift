import AnySyncWire

/// Decompresses any bytes within a limit, and compresses them and back.
public func fuzzSnappy(_ bytes: [UInt8]) {
    let limit = 1 << 16
    if let message = try? SnappyBlock.decompress(bytes[...], limit: limit) {
        precondition(message.count <= limit, "the limit does not hold")
    }
    let block = SnappyBlock.compress(bytes)
    precondition(block.count <= SnappyBlock.maximumCompressedLength(bytes.count), "a block is too long")
    precondition((try? SnappyBlock.decompress(block[...], limit: bytes.count)) == bytes, "what was compressed is lost")
}
