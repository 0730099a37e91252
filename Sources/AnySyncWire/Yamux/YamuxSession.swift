/// One side of a yamux session: bytes in, events and output bytes out (protocol.md §5).
///
/// The session does no I/O and reads no clock. Its owner passes in what the connection received, calls
/// ``tick(now:into:)`` at ``nextDeadline``, and after every call writes what ``takeOutput()`` returns.
///
/// ```swift
/// var session = YamuxSession(role: .dialer, now: clock.now)
/// let stream = try session.open(now: clock.now)
/// let accepted = try session.send(request[...], on: stream)
/// write(session.takeOutput())
/// ```
public struct YamuxSession: Sendable {
    /// Which side of the connection this is.
    public enum Role: Sendable {
        /// Opened the connection; opens odd streams.
        case dialer
        /// Accepted the connection; opens even streams, and stays silent until the dialer's first byte.
        case listener
    }

    /// Reasons in a go-away frame (protocol.md §5).
    public enum GoAwayCode: UInt32, Sendable {
        case normal = 0
        case protocolError = 1
        case internalError = 2
    }

    /// Which side this is.
    public let role: Role
    /// The session's bounds and times.
    public let limits: YamuxLimits
    /// Why the session is over; `nil` while it lives.
    public internal(set) var closure: YamuxClosure?

    var streams: [UInt32: YamuxStream] = [:]
    var incomingCount = 0
    var waitingForAccept = 0
    var nextStreamId: UInt32?

    var sentGoAway = false
    var gotGoAway = false
    /// False at a listener until the dialer's first byte: until then nothing may be written (protocol.md §5).
    var mayWrite: Bool
    var output: [UInt8] = []

    /// The start of a header whose rest has not arrived.
    var partialHeader: [UInt8] = []
    var body = Body()

    var nextPing: MonotonicTime
    var pingValue: UInt32 = 0
    var pingDeadline: MonotonicTime?
    /// No stream's deadline is before this one.
    var earliestStreamDeadline: MonotonicTime?
    var idleFrames = 0
    var idleFramesSince: MonotonicTime

    /// The data frame whose bytes are arriving.
    struct Body: Sendable {
        /// Whose bytes they are; `nil` when they are passed over, as of a stream that is unknown or gone.
        var stream: UInt32?
        var remaining: UInt32 = 0
        /// The frame carried FIN, which takes effect after the bytes.
        var finishes = false
    }

    /// A session at its start.
    ///
    /// - Parameters:
    ///   - role: which side this is.
    ///   - limits: bounds and times.
    ///   - now: the time of the handshake's end.
    public init(role: Role, limits: YamuxLimits = YamuxLimits(), now: MonotonicTime) {
        self.role = role
        self.limits = limits
        nextStreamId = role == .dialer ? 1 : 2
        mayWrite = role == .dialer
        nextPing = now.advanced(by: limits.pingInterval)
        idleFramesSince = now
        if role == .listener {
            // A dialer pings at the latest after one interval, so a longer silence is a dead peer.
            pingDeadline = nextPing.advanced(by: limits.pingTimeout)
        }
    }

    /// How many streams are open.
    public var streamCount: Int {
        streams.count
    }

    /// Whether a stream is open, at least half.
    public func isOpen(_ stream: UInt32) -> Bool {
        streams[stream] != nil
    }

    /// Bytes of output that wait to be taken, held back ones included.
    public var pendingOutput: Int {
        output.count
    }

    /// Takes what is to be written to the connection, in order.
    ///
    /// - Returns: the bytes; empty when there is nothing, and at a listener until the dialer's first byte has arrived.
    public mutating func takeOutput() -> [UInt8] {
        guard mayWrite, !output.isEmpty else { return [] }
        let taken = output
        output = []
        return taken
    }

    mutating func write(_ kind: YamuxHeader.Kind, _ flags: YamuxHeader.Flags, stream: UInt32, length: UInt32) {
        YamuxHeader(kind, flags: flags, stream: stream, length: length).encode(to: &output)
    }

    /// Ends the session.
    mutating func close(_ reason: YamuxClosure, goAway: GoAwayCode? = nil, into events: inout [YamuxEvent]) {
        if let goAway {
            write(.goAway, [], stream: 0, length: goAway.rawValue)
        }
        closure = reason
        streams = [:]
        incomingCount = 0
        waitingForAccept = 0
        body = Body()
        partialHeader = []
        events.append(.sessionClosed(reason))
    }

    /// Forgets a stream.
    @discardableResult
    mutating func remove(_ stream: UInt32) -> YamuxStream? {
        guard let removed = streams.removeValue(forKey: stream) else { return nil }
        if body.stream == stream {
            body.stream = nil
        }
        if removed.state.contains(.incoming) {
            incomingCount -= 1
            if !removed.state.contains(.accepted) {
                waitingForAccept -= 1
            }
        }
        return removed
    }

    /// Notes that a stream's timer runs until `deadline`.
    mutating func watch(_ deadline: MonotonicTime) {
        if let earliest = earliestStreamDeadline, earliest <= deadline { return }
        earliestStreamDeadline = deadline
    }
}
