/// Why a yamux session ended.
public enum YamuxClosure: Error, Hashable, Sendable, CustomStringConvertible {
    /// A frame's version is not 0. A TLS alert after the handshake looks like version 21, a record like 23.
    case wrongVersion(UInt8)
    /// A frame's type is none of the four.
    case unknownFrameType(UInt8)
    /// A stream was opened under an id that is in use, or under 0.
    case streamIdInUse(UInt32)
    /// A data frame is longer than the stream's receive window.
    case receiveWindowExceeded(stream: UInt32, length: UInt32, window: UInt32)
    /// A finished stream was finished again.
    case frameAfterFinish(stream: UInt32)
    /// The peer sends frames that carry nothing, faster than any use of them.
    case frameFlood
    /// The peer makes us answer and does not read the answers.
    case outputOverflow
    /// The peer ended the session with this go-away code: 1 protocol error, 2 internal error.
    case endedByPeer(code: UInt32)
    /// A ping went unanswered.
    case pingTimeout
    /// The peer did not accept a stream in time.
    case acceptTimeout(stream: UInt32)
    /// The dialer sent nothing after the handshake.
    case silentPeer

    public var description: String {
        switch self {
        case .wrongVersion(let version):
            "yamux: expected frame version 0, the peer sent \(version); the connection carries something else"
        case .unknownFrameType(let type):
            "yamux: expected frame type 0 to 3, the peer sent \(type)"
        case .streamIdInUse(let stream):
            "yamux: the peer opened stream \(stream), which is in use or reserved"
        case .receiveWindowExceeded(let stream, let length, let window):
            "yamux: stream \(stream) may receive \(window) bytes, the peer sent \(length)"
        case .frameAfterFinish(let stream):
            "yamux: the peer finished stream \(stream) twice"
        case .frameFlood:
            "yamux: the peer floods the session with frames that carry nothing"
        case .outputOverflow:
            "yamux: the peer does not read the answers it asks for"
        case .endedByPeer(let code):
            "yamux: the peer ended the session with go-away code \(code)"
        case .pingTimeout:
            "yamux: the peer did not answer a ping in time; it is gone or overloaded"
        case .acceptTimeout(let stream):
            "yamux: the peer did not accept stream \(stream) in time; dial again"
        case .silentPeer:
            "yamux: the dialer sent nothing after the handshake"
        }
    }
}

/// Why a command to a yamux session was refused.
public enum YamuxCommandError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The session has ended.
    case sessionClosed
    /// No stream has this id: never opened, closed or reset.
    case noSuchStream(UInt32)
    /// The stream was finished here.
    case alreadyFinished(UInt32)
    /// One side has gone away: no new streams.
    case goneAway
    /// As many streams as the limits allow are open.
    case tooManyStreams(limit: Int)
    /// The session has used every stream id; dial again.
    case streamIdsUsedUp

    public var description: String {
        switch self {
        case .sessionClosed: "yamux: the session has ended"
        case .noSuchStream(let stream): "yamux: stream \(stream) is not open"
        case .alreadyFinished(let stream): "yamux: stream \(stream) was finished here"
        case .goneAway: "yamux: the session takes no new streams; dial again"
        case .tooManyStreams(let limit): "yamux: \(limit) streams are open, the most allowed; close one first"
        case .streamIdsUsedUp: "yamux: the session has used every stream id; dial again"
        }
    }
}
