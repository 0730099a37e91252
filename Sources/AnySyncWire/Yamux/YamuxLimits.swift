/// The bounds and times of a yamux session.
public struct YamuxLimits: Hashable, Sendable {
    /// Bytes that a side may send on a new stream before it is granted more: 256 KiB (protocol.md §5).
    public static let initialWindow: UInt32 = 256 * 1024

    /// The longest data frame that we write, so that streams interleave: 64 KiB. A peer's may be as long as its window.
    public static let maximumDataLength = 64 * 1024

    /// Streams opened by the peer that live at once; one more is reset. Ours; a listener that buffers much for each
    /// stream should set less.
    public var maximumIncomingStreams = 256

    /// Streams opened here that live at once. The reference throttles accepting past about 10 (protocol.md §5).
    public var maximumOutgoingStreams = 128

    /// Streams opened by the peer that wait to be accepted; one more is reset (protocol.md §5).
    public var acceptBacklog = 256

    /// Bytes of output that may wait to be taken before ``YamuxSession/send(_:on:)`` accepts no more. Answers that a
    /// peer provokes (ping answers, resets) may add ``controlReserve`` before the session ends.
    public var maximumPendingOutput = 256 * 1024

    /// See ``maximumPendingOutput``.
    public var controlReserve = 64 * 1024

    /// Frames that carry nothing (pings, empty window updates, frames for unknown streams, refused or abandoned
    /// streams) that a peer may send within ``idleFrameInterval``; more end the session.
    public var maximumIdleFrames = 5000

    /// See ``maximumIdleFrames``.
    public var idleFrameInterval = Duration.seconds(10)

    /// How often a ping is sent: 30 s (protocol.md §5).
    public var pingInterval = Duration.seconds(30)

    /// How long its answer may take before the session ends: 10 s (protocol.md §5).
    public var pingTimeout = Duration.seconds(10)

    /// How long a stream finished here may stay open at the peer before it is reset: 10 s (protocol.md §5).
    public var closeTimeout = Duration.seconds(10)

    /// How long a peer may take to accept a stream before the session ends: 10 s (protocol.md §5).
    public var acceptTimeout = Duration.seconds(10)

    /// The defaults.
    public init() {}
}
