internal import AnySyncWire

/// What a ``ConnectionService`` knows of one stream. Touched only inside it.
final class ServedStream {
    let stream: any ByteStream
    /// Set once the handshake that opens a stream is done.
    var codec: DRPCServerStream?
    /// The call whose handler runs, waits for its place, or ends after it was cancelled.
    var running: Task<Void, Never>?
    /// Bytes of this stream that count against the server's limit.
    var heldBytes = 0
    var isDraining = false

    init(_ stream: any ByteStream) {
        self.stream = stream
    }
}
