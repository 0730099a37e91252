public import AnySyncNet
public import PushCrypto

/// The configuration of a server: every value with where it comes from.
public struct ServerConfiguration: Sendable {
    /// The directory that accounts are in; a whole path (`dataDir`).
    public var dataDirectory: Sourced<String>
    /// Who owns the server (`mode`).
    public var mode: Sourced<ServerMode>
    /// The account to run, `A…`; chosen by what is in the data directory when `nil` (`account`).
    public var account: Sourced<String?>
    /// Where the HTTP server listens, a loopback address without a kind; port 0 lets the system choose (`listen.addr`).
    public var listenAddress: Sourced<ListenAddress>
    /// The file with the token that clients must show (`listen.tokenFile`); it is made when it is missing.
    public var listenTokenFile: Sourced<String?>
    /// The origins whose pages may use the server (`listen.origins`).
    public var listenOrigins: Sourced<[String]>
    /// The wallet to use instead of those in the data directory; a whole path (`auth.walletPath`).
    public var walletPath: Sourced<String?>
    /// The environment variable that holds the wallet's passkey (`auth.passkeyEnv`).
    public var passkeyVariable: Sourced<String>
    /// The network (`network`).
    public var network: NetworkSettings
    /// The push node (`push`).
    public var push: PushSettings
    /// The protocol versions to speak and to accept (`protocol`).
    public var protocolVersions: ProtocolVersions
    /// What is logged, and how (`log`).
    public var log: LogSettings
    /// What works, but hardly as it was meant.
    public var warnings: [ConfigurationWarning]
    /// The file that was read, if any.
    public var path: String?
}

/// Who owns a server.
public enum ServerMode: String, Hashable, Sendable, CaseIterable {
    /// The user: keys are in a wallet on the disk, and nobody stops the server over HTTP.
    case standalone
    /// The program that started it, which brings the account key each time and may stop it.
    case managed
}

/// The network that a server's account belongs to.
public struct NetworkSettings: Hashable, Sendable {
    /// The file of the node configuration; a whole path (`network.nodeconfPath`).
    public var nodeConfPath: Sourced<String?>
    /// The node configuration itself, YAML (`network.nodeconf`).
    public var nodeConf: Sourced<String?>

    /// Whether nobody named a network, which makes it the production network.
    public var isUnset: Bool { nodeConfPath.value == nil && nodeConf.value == nil }
}

/// The push node.
public struct PushSettings: Hashable, Sendable {
    /// Whether to push; `nil` means: when there is a peer id (`push.enabled`).
    public var enabled: Sourced<Bool?>
    /// The node's peer id (`push.peerId`).
    public var peerId: Sourced<PeerId?>
    /// Where the node is, in the order in which to try (`push.addrs`).
    public var addresses: Sourced<[Address]>
    /// Whether a connection that is not encrypted is never made (`push.requireEncrypted`).
    public var requiresEncryption: Sourced<Bool>

    /// A node that can be reached.
    public struct Node: Hashable, Sendable {
        /// Its peer id.
        public let peerId: PeerId
        /// Where it is; never empty.
        public let addresses: [Address]
    }

    /// Whether push is meant to be on: what ``enabled`` says, else whether there is a peer id.
    public var isEnabled: Bool { enabled.value ?? (peerId.value != nil) }

    /// The node to use; `nil` when push is off: not enabled, or without a node that can be reached.
    public var node: Node? {
        guard isEnabled, let peerId = peerId.value, !addresses.value.isEmpty else { return nil }
        return Node(peerId: peerId, addresses: addresses.value)
    }
}

/// What is logged, and how.
public struct LogSettings: Hashable, Sendable {
    /// From how bad on a message is logged.
    public enum Level: String, Hashable, Sendable, CaseIterable {
        case debug, info, warn, error
    }

    /// How a message is written.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        case colorized, plaintext, json
    }

    /// From how bad on (`log.defaultLevel`).
    public var level: Sourced<Level>
    /// Whether to leave out what only developers need (`log.production`).
    public var isProduction: Sourced<Bool>
    /// How (`log.format`).
    public var format: Sourced<Format>
    /// Files to write to besides standard error; whole paths (`log.addOutputPaths`).
    public var outputPaths: Sourced<[String]>
}
