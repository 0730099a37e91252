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
    /// - Throws: ``PushNodeError/unreachable(reason:retryAfter:)`` with what each address did.
    func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection

    /// What each address has done so far that is being dialled, for a caller who waits no longer; `nil` when that is not
    /// known.
    func progress(with node: PushNodeLocation) async -> String?
}

extension PushNodeDialer {
    public func progress(with node: PushNodeLocation) async -> String? { nil }
}

extension Dialer: PushNodeDialer {
    public func dial(_ node: PushNodeLocation, onlyEncrypted: Bool) async throws(PushNodeError) -> any Connection {
        do throws(TransportError) {
            return try await dial(node.addresses, peer: node.peerId, onlyEncrypted: onlyEncrypted)
        } catch .cancelled {
            throw .cancelled
        } catch .noCommonVersion(let last, let wait) {
            let error = TransportError.noCommonVersion(last: last, retryAfter: wait)
            throw .unreachable(reason: "\(error)", retryAfter: wait)
        } catch {
            throw .unreachable(reason: "\(error)")
        }
    }

    public func progress(with node: PushNodeLocation) async -> String? {
        let steps = progress(of: node.peerId)
        guard !steps.isEmpty else { return nil }
        return steps.map { "\($0.address): \($0.error.map { "\($0)" } ?? "no answer yet")" }.joined(separator: "; ")
    }
}
