/// What a server knows about one connection.
struct Client {
    /// What the connection does.
    enum Phase {
        /// Between requests.
        case idle
        /// A request is being read.
        case reading(RequestHead)
        /// A handler is at work.
        case handling
        /// A response is being written.
        case responding
        /// Events are being written.
        case streaming(EventStream)
        /// A refusal was written and the connection will close.
        case refused
    }

    let connection: HTTPConnection
    var phase = Phase.idle
    /// When the connection is to be dealt with, `nil` for never.
    var deadline: Duration?
    /// Since when the connection waits for a request, or for the rest of its head.
    var idleSince: Duration
    /// Whether it was told to close, so that another can have its place.
    var isLeaving = false
    /// The number of the request that a handler works on, so that a late answer finds no other.
    var exchange: UInt64?
    /// Bytes of the request's body that count towards the server's limit.
    var bufferedBytes = 0
    /// Bytes of the response that is being written, which stay until the client has them all.
    var responseBytes = 0
    /// What the log will say.
    var record: Record?

    struct Record {
        let id: String
        let method: String
        let start: Duration
        var route: PathTemplate?
        var status: HTTPStatus?
    }

    init(_ connection: HTTPConnection, at time: Duration) {
        self.connection = connection
        idleSince = time
    }

    /// Whether the client still waits for something of a request.
    var isBusy: Bool {
        switch phase {
        case .reading, .handling, .responding: true
        case .idle, .streaming, .refused: false
        }
    }
}
