internal import AnySyncWire

/// What a ``ConnectionService`` knows of one stream. Touched only inside it.
final class ServedStream {
    let stream: any ByteStream
    /// Set once the handshake that opens a stream is done.
    var codec: DRPCServerStream?
    /// The call whose handler runs, waits for its place, or ends after it was cancelled.
    var running: Task<Void, Never>?
    /// Bytes of a message that has not arrived in full.
    var arrivingBytes = 0
    /// Bytes of requests that were not answered yet, and of answers that were not taken yet.
    var callBytes = 0
    /// Ends the stream unless the message that is arriving is complete by then.
    var arrival: LoopTimer?
    var isDraining = false

    init(_ stream: any ByteStream) {
        self.stream = stream
    }
}
