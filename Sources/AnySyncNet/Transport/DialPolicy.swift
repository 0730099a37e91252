internal import Locks
public import PushCrypto

/// Which kinds of connection a ``Dialer`` may use with a peer.
///
/// Whoever sits on the path can reset encrypted dials until only bare yamux is left, where the calls of an account are not
/// protected (SECURITY.md, "The path"). So a peer that has ever spoken an encrypted kind is never spoken to in another.
public struct DialPolicy: Sendable {
    /// Whether bare yamux is not used with any peer.
    public var requiresEncryption = false
    /// The peers that have spoken an encrypted kind before.
    public var encryptedPeers = EncryptedPeers()

    /// Bare yamux as a last resort, with peers that were never seen to speak anything better.
    public init() {}

    /// Why bare yamux is not used with a peer; `nil` when it may be.
    public func reason(for peer: PeerId) -> EncryptionReason? {
        if requiresEncryption { return .required }
        return encryptedPeers.contains(peer) ? .spokenBefore : nil
    }
}

/// Why only encrypted kinds are used with a peer.
public enum EncryptionReason: String, Hashable, Sendable {
    /// The configuration says so.
    case required
    /// The peer has spoken an encrypted kind before.
    case spokenBefore = "spoken_before"
}

/// The peers that have spoken an encrypted kind, as far as is remembered. All copies are one set.
public struct EncryptedPeers: Sendable {
    /// How many peers are remembered: an account has one node, and rarely another.
    public static let maximumCount = 64

    /// Is told of a peer that is new in the set, on the thread that adds it; keeps it for later runs.
    public typealias Keeper = @Sendable (_ peers: [PeerId]) -> Void

    // Newest last, so that the oldest goes first.
    private let peers: Shared
    private let keep: Keeper

    private final class Shared: Sendable {
        let list: SystemLock<[PeerId]>
        init(_ list: [PeerId]) { self.list = SystemLock(list) }
    }

    /// A set.
    ///
    /// - Parameters:
    ///   - known: the peers of earlier runs, the newest last.
    ///   - keep: gets the whole set when it has grown; returns soon.
    public init(_ known: [PeerId] = [], keep: @escaping Keeper = { _ in }) {
        peers = Shared(Array(known.suffix(Self.maximumCount)))
        self.keep = keep
    }

    /// Whether a peer is in the set.
    public func contains(_ peer: PeerId) -> Bool {
        peers.list.withLock { $0.contains(peer) }
    }

    /// Adds a peer.
    public func insert(_ peer: PeerId) {
        let grown = peers.list.withLock { list -> [PeerId]? in
            guard !list.contains(peer) else { return nil }
            list = Array((list + [peer]).suffix(Self.maximumCount))
            return list
        }
        if let grown { keep(grown) }
    }
}
