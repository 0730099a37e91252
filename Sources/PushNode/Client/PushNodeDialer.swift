public import AnySyncNet
public import PushCrypto

/// A push node as its clients are configured: who it is and where it listens.
public struct PushNodeLocation: Hashable, Sendable {
    /// The node's peer id. Anyone else who answers at an address is refused.
    public var peerId: PeerId
    /// Where it listens; raced, encrypted kinds first (see `Dialer`).
    public var addresses: [Address]

    /// A node; see the properties.
    public init(peerId: PeerId, addresses: [Address]) {
        self.peerId = peerId
        self.addresses = addresses
    }
}

/// Makes connections to a push node: `Dialer`, or a stand-in of a test.
public protocol PushNodeDialer: Sendable {
    /// Connects to the node and proves both sides.
    ///
    /// - Parameter onlyEncrypted: whether to leave out the kinds that can be read on the path.
    /// - Throws: ``PushNodeError/unreachable(reason:)`` with what each address did.
    func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection
}

extension Dialer: PushNodeDialer {
    public func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection {
        do throws(TransportError) {
            return try await dial(node.addresses, peer: node.peerId, onlyEncrypted: onlyEncrypted)
        } catch .cancelled {
            throw .cancelled
        } catch {
            throw .unreachable(reason: "\(error)")
        }
    }
}
