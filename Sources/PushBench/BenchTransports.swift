import AnySyncNet
import AnySyncQUIC

/// The transports that are measured side by side, and what each may cost.
enum BenchTransports {
    /// The kinds in the order they are reported; the first is what the others are compared with.
    static let kinds: [ConnectionKind] = [.yamux, .tlsYamux, .quic]

    static func make(_ endpoint: Endpoint) throws -> [any Transport] {
        [TCPTransport(endpoint), try QUICTransport(endpoint)]
    }

    /// What a loopback dial may take, in milliseconds.
    static let dialMilliseconds = 10.0

    /// How much CPU time a call may take, compared with the first kind.
    static func callBudget(_ kind: ConnectionKind) -> Double? {
        switch kind {
        case .yamux: nil
        case .tlsYamux: 1.2
        case .quic: 2.5
        }
    }

    /// What an idle connection may take on the node; most of QUIC's is the library's fixed pools.
    static func idleKibibytes(_ kind: ConnectionKind) -> Double {
        kind == .quic ? 96 : 24
    }
}
