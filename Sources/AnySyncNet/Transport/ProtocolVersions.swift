internal import AnySyncWire

/// The protocol versions of a process: the one it speaks and those it accepts (protocol.md §6).
public struct ProtocolVersions: Hashable, Sendable {
    /// The version that is said first, and to be found among those of the peers.
    public let own: UInt32
    /// The versions that a peer may speak.
    public let accepted: [UInt32]

    /// Those of this release.
    public static let standard = ProtocolVersions(
        checked: LocalCredentials.defaultVersion, LocalCredentials.defaultAcceptedVersions)

    /// Versions that an operator has set.
    ///
    /// - Parameters:
    ///   - own: the version to speak; `nil` for this release's.
    ///   - accepted: the versions that a peer may speak; `nil` for this release's, with `own` added.
    /// - Throws: ``ProtocolVersionError`` when they make no sense together.
    public init(own: UInt32?, accepted: [UInt32]?) throws(ProtocolVersionError) {
        let version = own ?? Self.standard.own
        let list = accepted ?? Self.standard.accepted + (Self.standard.accepted.contains(version) ? [] : [version])
        guard version > 0, !list.contains(0) else { throw .zero }
        guard !list.isEmpty else { throw .nothingAccepted }
        guard list.contains(version) else { throw .ownNotAccepted(version, accepted: list) }
        self.init(checked: version, list)
    }

    private init(checked own: UInt32, _ accepted: [UInt32]) {
        self.own = own
        self.accepted = accepted
    }
}

/// Why protocol versions make no sense.
public enum ProtocolVersionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no version 0.
    case zero
    /// Nobody could connect.
    case nothingAccepted
    /// Peers that speak as we do would be refused.
    case ownNotAccepted(UInt32, accepted: [UInt32])

    public var description: String {
        switch self {
        case .zero: "there is no protocol version 0; versions count from 1"
        case .nothingAccepted: "no protocol version is accepted, so nobody could connect; name one at least"
        case .ownNotAccepted(let own, let accepted):
            "the own protocol version \(own) is not among those accepted, \(accepted.map(String.init).joined(separator: ", ")); add it to them"
        }
    }
}
