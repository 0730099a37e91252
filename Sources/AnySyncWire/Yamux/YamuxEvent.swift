/// What a yamux peer did, in the order it did it.
public enum YamuxEvent: Hashable, Sendable {
    /// The peer opened a stream. Take it with ``YamuxSession/accept(_:)`` or refuse it with ``YamuxSession/reset(_:)``.
    case streamOpened(UInt32)

    /// Bytes arrived. The slice is a part of what was passed to `receive`, not a copy. Report them with
    /// ``YamuxSession/consumed(_:on:)`` once they are dealt with.
    case data(stream: UInt32, ArraySlice<UInt8>)

    /// The peer writes no more on the stream; it may still be written to.
    case peerFinished(stream: UInt32)

    /// Both sides have finished; the stream is forgotten.
    case streamClosed(UInt32)

    /// The stream ended early; it is forgotten.
    case streamReset(stream: UInt32, YamuxResetReason)

    /// A stream whose last `send` was cut short by the peer's window can be written to again.
    case sendWindowOpened(stream: UInt32)

    /// The peer takes no more streams; those that are open go on.
    case peerWentAway

    /// The session is over and so are all its streams. Write what output there is, then close the connection.
    case sessionClosed(YamuxClosure)
}

/// Why a stream ended early.
public enum YamuxResetReason: Hashable, Sendable {
    /// The peer reset it.
    case byPeer
    /// It was finished here and the peer did not finish it in time.
    case closeTimeout
}
