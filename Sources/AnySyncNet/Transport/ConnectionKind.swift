/// The ways two peers can be connected (protocol.md §5).
public enum ConnectionKind: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// TLS 1.3 and credentials, then yamux on the bare TCP socket: authenticated, but readable on the path.
    case yamux
    /// The same with yamux inside the TLS session.
    case tlsYamux = "tls+yamux"
    /// QUIC version 1.
    case quic

    /// Whether what streams carry is encrypted on the path.
    public var isEncrypted: Bool {
        self != .yamux
    }

    public var description: String {
        rawValue
    }
}
