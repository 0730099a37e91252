/// What a server grants its clients. Everything a client can hold is bounded by one of these.
struct HTTPLimits: Hashable, Sendable {
    /// Open connections. For one more, that which has waited longest for a request is closed; when all are at work, further
    /// ones wait in the system's queue.
    var connections = 2048
    /// Connections that receive events, fewer than ``connections`` so that streams never take the last place.
    var streams = 1536
    /// Bytes of one request's body (any-api.md: 1 MiB).
    var bodyBytes = 1 << 20
    /// Bytes of all bodies that are being read or handled. A body over it is refused with `503`.
    var bufferedBytes = 64 << 20
    /// Bytes of all responses, and of all streams' events, that clients have not taken. Past it the client that leaves the
    /// most is cut.
    var responseBytes = 64 << 20
    /// Bytes of a connection's own memory: its head must fit into it, and its body passes through it.
    var connectionMemory = 16 << 10

    /// From a connection's opening, or from the end of its last response and ``idle``, until a request is complete.
    var requestTime = Duration.seconds(30)
    /// Until a handler has answered; then it is cancelled and the client gets `503`.
    var handlerTime = Duration.seconds(60)
    /// Until a client has taken a response, or the next piece of a stream.
    var responseTime = Duration.seconds(30)
    /// How long a connection may wait for its next request.
    var idleTime = Duration.seconds(60)
    /// How long a refused client may go on sending before it is cut.
    var refusalTime = Duration.seconds(5)
    /// Between two keepalive comments of an event stream (any-api.md, "SSE").
    var keepaliveInterval = Duration.seconds(25)
    /// How long clients may take for the last frames of their streams when the server stops.
    var farewellTime = Duration.seconds(2)

    /// The defaults named at each property.
    init() {}

    /// Connections that may be open for a moment beside ``connections``, until those closed for them are gone.
    static let spareConnections = 64
    // Descriptors that stay for files, the push node and the host's own use.
    private static let reservedDescriptors = 192

    /// The limits with no more connections than a process that may open so many descriptors can have.
    func fitted(toDescriptors count: Int) -> HTTPLimits {
        var limits = self
        let fitting = max(16, count - Self.reservedDescriptors - Self.spareConnections)
        guard fitting < connections else { return limits }
        limits.connections = fitting
        limits.streams = min(streams, fitting * 3 / 4)
        return limits
    }

    /// - Throws: ``HTTPServerError/invalidLimits(_:)``.
    func validate() throws(HTTPServerError) {
        guard connections > 0, streams >= 0, streams < connections else {
            throw .invalidLimits("streams must be fewer than connections, got \(streams) and \(connections)")
        }
        guard bodyBytes > 0, bufferedBytes >= bodyBytes else {
            throw .invalidLimits("bufferedBytes must be at least bodyBytes, got \(bufferedBytes) and \(bodyBytes)")
        }
        guard connectionMemory >= 4096 else {
            throw .invalidLimits("connectionMemory must be at least 4096, got \(connectionMemory)")
        }
    }
}
