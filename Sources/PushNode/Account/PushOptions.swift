public import AnySyncNet
public import PushCrypto

/// Who an account is, which push node it uses, and what push is granted.
public struct PushOptions: Sendable {
    /// The account key: its public half is the identity that members and the node see.
    public var account: SigningKey
    /// The device's peer key. Two processes must not share one, for a node keeps only the newest connection of a
    /// device.
    public var device: SigningKey
    /// The push node; `nil` when none is configured.
    public var node: PushNodeLocation?
    /// Whether to push; `nil` means: when there is a node (any-api.md, "Config", `push.enabled`).
    public var enabled: Bool?
    /// Makes the ways to reach the node, for the account's own endpoint. TCP by default; a host that links
    /// `AnySyncQUIC` adds its `QUICTransport`.
    public var transports: @Sendable (Endpoint) throws -> [any Transport] = { [TCPTransport($0)] }
    /// The protocol versions to speak and to accept.
    public var versions = ProtocolVersions.standard
    /// Which kinds of connection may be used; a host that keeps ``DialPolicy/encryptedPeers`` over restarts is safe from
    /// a downgrade after the first encrypted connection.
    public var dialPolicy = DialPolicy()
    /// How ACL records are verified: as of a network, for a host whose spaces come from one, or in full.
    public var verification = ACLVerification.full
    /// The time in seconds since 1970, for certificates; `nil` is the machine's.
    public var unixTime: (@Sendable () -> Int64)?
    /// What the connection to the node is granted.
    public var client = PushNodeClient.Limits()
    /// What the queue of notifications is granted.
    public var queue = NotifyQueue.Limits()
    /// What the hooks are granted.
    public var hooks = PushHooks.Limits()
    /// The times of the reconciler.
    public var reconciler = ReconcileTiming()
    /// The times of the token store.
    public var tokens = DeviceTokenStore.Timing()
    /// What is kept of replayed ACL logs.
    public var keyring = SpaceKeyring.Limits()

    /// Options with the defaults named at each property.
    public init(account: SigningKey, device: SigningKey, node: PushNodeLocation?, enabled: Bool? = nil) {
        self.account = account
        self.device = device
        self.node = node
        self.enabled = enabled
    }

    /// Why push is off; `nil` when it is on.
    public var disabledReason: PushDisabledReason? {
        if enabled == false { return .switchedOff }
        guard let node else { return enabled == true ? .enabledWithoutNode : .noNode }
        return node.addresses.isEmpty ? .noAddress : nil
    }
}

extension PushOptions: CustomStringConvertible, CustomReflectable {
    /// Public halves only.
    public var description: String {
        "PushOptions(\(account.publicKey.accountAddress), node \(node.map { "\($0.peerId)" } ?? "none"))"
    }

    public var customMirror: Mirror { Mirror(self, children: ["account": description], displayStyle: .struct) }
}

/// Why push is off.
public enum PushDisabledReason: String, Hashable, Sendable {
    /// It is switched off.
    case switchedOff = "switched_off"
    /// No node is configured.
    case noNode = "no_node"
    /// It is switched on, but no node is configured.
    case enabledWithoutNode = "enabled_without_node"
    /// The node has no address.
    case noAddress = "no_address"
}

extension PushDisabledReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .switchedOff: "push is switched off"
        case .noNode: "no push node is configured"
        case .enabledWithoutNode: "push is switched on, but no push node is configured"
        case .noAddress: "the push node has no address"
        }
    }
}
