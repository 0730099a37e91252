/// Why a message's body is not what the agreed encoding asks for.
public enum MessageBodyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The body is no snappy block, or too large a one.
    case snappy(SnappyError)
    /// The message is over the limit, in bytes.
    case tooLarge(size: Int, limit: Int)

    public var description: String {
        switch self {
        case .snappy(.malformed): "the message is no snappy block"
        case .snappy(.tooLarge(let size, let limit)), .tooLarge(let size, let limit):
            "the message takes \(size) bytes, the limit is \(limit)"
        }
    }
}

extension MessageEncoding {
    /// The body of a packet that carries `message`.
    func encode(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .none: message
        case .snappy: SnappyBlock.compress(message)
        }
    }

    /// The message in a packet's body.
    func decode(_ body: ArraySlice<UInt8>, limit: Int) throws(MessageBodyError) -> [UInt8] {
        switch self {
        case .none:
            guard body.count <= limit else { throw .tooLarge(size: body.count, limit: limit) }
            return Array(body)
        case .snappy:
            do {
                return try SnappyBlock.decompress(body, limit: limit)
            } catch {
                throw .snappy(error)
            }
        }
    }

    /// The largest body that a message of `size` bytes takes.
    func maximumBody(ofMessage size: Int) -> Int {
        switch self {
        case .none: size
        case .snappy: SnappyBlock.maximumCompressedLength(size)
        }
    }
}
