public import AnySyncNet
import AnySyncQUIC

/// The kinds of connection that tests of all kinds run over; a new transport is one more here.
public enum TestTransports {
    /// The kinds, the readable one first.
    public static let kinds: [ConnectionKind] = [.yamux, .tlsYamux, .quic]

    /// The transports behind them.
    public static func make(_ endpoint: Endpoint) throws -> [any Transport] {
        [TCPTransport(endpoint), try QUICTransport(endpoint)]
    }
}
