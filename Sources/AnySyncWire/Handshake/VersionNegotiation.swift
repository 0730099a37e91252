/// Which protocol version to dial a peer with: remembers what worked, tries each other version once when refused, and
/// backs off when the peer takes none (protocol.md §6). One value per peer.
public struct VersionNegotiation: Hashable, Sendable {
    /// Our versions in the order tried: own, then older ones, then a newer one (protocol.md §6).
    public static let defaultOrder: [UInt32] = [13, 12, 9, 8, 14]
    /// The first pause after a peer has refused every version. Ours; doubled each time up to ``maximumPause``.
    public static let initialPause = Duration.seconds(30)
    /// The longest pause. Ours: an updated peer is found within half an hour.
    public static let maximumPause = Duration.seconds(1800)

    /// What to do now.
    public enum Attempt: Hashable, Sendable {
        /// Dial, saying this version.
        case dial(version: UInt32)
        /// The peer has refused every version: do not dial before this time.
        case wait(until: MonotonicTime)
    }

    private let order: [UInt32]
    private var preferred: UInt32?
    private var refused: Set<UInt32> = []
    private var pausedUntil: MonotonicTime?
    private var nextPause = Self.initialPause

    /// - Parameter order: the versions, best first; without any, the peer is never dialled.
    public init(order: [UInt32] = Self.defaultOrder) {
        self.order = order
    }

    /// What to do now.
    ///
    /// - Parameter doubted: versions that the peer may have refused without saying so; they come last.
    public mutating func next(now: MonotonicTime, doubted: Set<UInt32> = []) -> Attempt {
        if let pausedUntil {
            guard pausedUntil <= now else { return .wait(until: pausedUntil) }
            self.pausedUntil = nil
            refused = []
        }
        let candidates = ((preferred.map { [$0] } ?? []) + order).filter { !refused.contains($0) }
        guard let version = candidates.first(where: { !doubted.contains($0) }) ?? candidates.first else {
            return .wait(until: pause(now))
        }
        return .dial(version: version)
    }

    /// The handshake with `version` was done.
    public mutating func succeeded(_ version: UInt32) {
        preferred = version
        refused = []
        pausedUntil = nil
        nextPause = Self.initialPause
    }

    /// The peer refused `version`, or answered with one that we refuse: ``HandshakeFailure/isVersionRefusal``.
    public mutating func wasRefused(_ version: UInt32, now: MonotonicTime) {
        refused.insert(version)
        if order.allSatisfy(refused.contains), pausedUntil == nil {
            _ = pause(now)
        }
    }

    private mutating func pause(_ now: MonotonicTime) -> MonotonicTime {
        let end = now.advanced(by: nextPause)
        pausedUntil = end
        nextPause = min(nextPause * 2, Self.maximumPause)
        return end
    }
}
