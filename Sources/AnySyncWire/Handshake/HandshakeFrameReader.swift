/// Takes handshake frames out of a byte stream, and not a byte more than they are long.
public struct HandshakeFrameReader: Sendable {
    /// What has arrived of the frame; grows with the input, never ahead of it.
    private var buffer: [UInt8] = []

    /// A reader before its first frame.
    public init() {}

    /// Takes what belongs to the next frame.
    ///
    /// - Parameters:
    ///   - input: what has arrived; what is taken is removed from its front, what follows the frame stays.
    ///   - kinds: the types that may come now. The type is looked at before the size.
    /// - Returns: the frame, or `nil` when the input ended before it did.
    /// - Throws: ``HandshakeFrameError``; the reader is of no use after that.
    public mutating func next(
        _ input: inout ArraySlice<UInt8>, accepting kinds: [HandshakeFrame.Kind]
    ) throws(HandshakeFrameError) -> HandshakeFrame? {
        take(HandshakeFrame.headerSize, from: &input)
        guard buffer.count >= HandshakeFrame.headerSize else { return nil }
        guard let kind = HandshakeFrame.Kind(rawValue: buffer[0]), kinds.contains(kind) else {
            throw .unexpectedType(buffer[0])
        }
        let size = UInt32(buffer[1]) | UInt32(buffer[2]) << 8 | UInt32(buffer[3]) << 16 | UInt32(buffer[4]) << 24
        guard size <= HandshakeFrame.maximumBodySize else { throw .tooLarge(declared: size) }
        let total = HandshakeFrame.headerSize + Int(size)
        take(total, from: &input)
        guard buffer.count == total else { return nil }
        let frame = HandshakeFrame(kind: kind, body: buffer[HandshakeFrame.headerSize...])
        buffer = []
        return frame
    }

    /// Fills the buffer up to `total` bytes.
    private mutating func take(_ total: Int, from input: inout ArraySlice<UInt8>) {
        let piece = input.prefix(max(0, total - buffer.count))
        buffer.append(contentsOf: piece)
        input = input.dropFirst(piece.count)
    }
}
