internal import AnySyncNet
internal import CQUIC

/// What a session grants its peer and how patient it is.
struct QUICSettings {
    /// Bytes that the library may hold for one connection; past it the connection is closed.
    let memoryLimit: Int
    let raw: cquic_settings

    init(_ limits: NetLimits, _ quic: QUICLimits) {
        let connectionWindow = max(limits.bufferedInput, Self.leastWindow)
        memoryLimit = connectionWindow + quic.memoryPerConnection
        raw = cquic_settings(
            handshake_timeout: limits.handshakeTimeout.wholeNanoseconds,
            idle_timeout: quic.silenceTimeout.wholeNanoseconds,
            initial_rtt: Self.initialRoundTrip.wholeNanoseconds,
            stream_window: UInt64(min(Self.streamWindow, connectionWindow)),
            connection_window: UInt64(connectionWindow),
            incoming_streams: UInt64(max(1, min(limits.incomingStreams, Self.incomingStreams))),
            // A connection is closed as soon as it holds more than it may. That the library is refused memory is for
            // what one datagram cannot ask for: some of its error paths are known to be bad.
            memory_limit: 2 * memoryLimit)
    }

    /// What a stream may have on its way or waiting for its reader; as with yamux.
    private static let streamWindow = 256 * 1024
    private static let leastWindow = 16 * 1024
    /// protocol.md §5: at most 128 incoming streams, the one for credentials among them.
    private static let incomingStreams = 127
    /// What is assumed before the first measurement. The library's own, 333 ms, makes a lost first datagram cost a
    /// second.
    private static let initialRoundTrip = Duration.milliseconds(50)
}

extension Duration {
    /// For the library; 0 when negative.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (scaled, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : scaled &+ UInt64(attoseconds / 1_000_000_000)
    }
}
