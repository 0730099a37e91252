/// One stream's entry in a session's table; kept small, there may be many.
struct YamuxStream: Sendable {
    struct State: OptionSet, Sendable {
        let rawValue: UInt8

        /// The peer opened it.
        static let incoming = State(rawValue: 1)
        /// Incoming: taken by us. Outgoing: the peer has answered.
        static let accepted = State(rawValue: 2)
        /// We finished it.
        static let finished = State(rawValue: 4)
        /// The peer finished it.
        static let peerFinished = State(rawValue: 8)
        /// The last `send` was cut short by the window.
        static let blocked = State(rawValue: 16)
    }

    var state: State
    /// Bytes that we may send.
    var sendWindow = YamuxLimits.initialWindow
    /// Bytes that the peer may send.
    var receiveWindow = YamuxLimits.initialWindow
    /// Bytes dealt with that the peer was not told of yet.
    var unannounced: UInt32 = 0
    /// When the stream's timer fires: waiting to be accepted, or to be finished by the peer.
    var deadline: MonotonicTime?

    /// More room to send; a peer that grants more than 4 GiB is held to that.
    mutating func grant(_ delta: UInt32) {
        let (sum, overflow) = sendWindow.addingReportingOverflow(delta)
        sendWindow = overflow ? .max : sum
    }
}
