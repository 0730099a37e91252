public import AnySyncNet

/// How a client is connected to its node.
public struct PushNodePath: Hashable, Sendable {
    /// The transport.
    public let kind: ConnectionKind
    /// The node's socket address, such as `192.0.2.1:4430`.
    public let address: String
    /// The protocol version agreed on.
    public let version: UInt32

    /// A path; see the properties.
    public init(kind: ConnectionKind, address: String, version: UInt32) {
        self.kind = kind
        self.address = address
        self.version = version
    }

    init(_ connection: any Connection) {
        self.init(kind: connection.kind, address: connection.remoteAddress, version: connection.version)
    }

    /// Whether what goes over it is encrypted.
    public var isEncrypted: Bool { kind.isEncrypted }

    /// What an operator should know of it; `nil` when all is well (protocol.md §5).
    public var warning: String? {
        guard !isEncrypted else { return nil }
        return
            "the connection to the push node at \(kind)://\(address) is not encrypted: whoever sits on the path can read "
            + "device tokens, topics and identities, and can make calls as this account, such as registering another "
            + "phone; messages stay sealed. Use a node that offers quic or tls+yamux"
    }
}
