/// Something in the configuration that works, but hardly as it was meant.
public enum ConfigurationWarning: Hashable, Sendable {
    /// A push node needs both push.peerId and push.addrs, and only `given` is set, so push is off.
    case pushHalfConfigured(given: String, missing: String, ConfigurationSource)
    /// push.enabled is true and no push node is known, so push is off.
    case pushEnabledWithoutNode(ConfigurationSource)
    /// push.requireEncrypted is true and every address is of a kind that is not encrypted, so the node cannot be reached.
    case encryptionWithoutAddress(ConfigurationSource)
    /// The key is for a part of `any` that this server does not have.
    case unusedKey(String, ConfigurationSource)
    /// There is no such environment variable; perhaps another was meant.
    case unknownVariable(String, suggestion: String)
    /// Both forms of a node configuration are set; `ignored` does not count.
    case nodeConfIgnored(ignored: ConfigurationSource, used: ConfigurationSource)
    /// The account is on a network that no push node is known for, so push is off.
    case noNodeForNetwork(String)
}

extension ConfigurationWarning: CustomStringConvertible {
    /// What is odd and what to do.
    public var description: String {
        switch self {
        case .pushHalfConfigured(let given, let missing, let source):
            "\(source): \(given) is set and \(missing) is not, so push is off; set both, or neither"
        case .pushEnabledWithoutNode(let source):
            "\(source): push.enabled is true but there is no push node; set push.peerId and push.addrs"
        case .encryptionWithoutAddress(let source):
            "\(source): push.requireEncrypted is true and every push.addrs is a yamux:// address, which is not encrypted, so "
                + "the push node cannot be reached; write its address without a scheme, or as tls+yamux:// or quic://"
        case .noNodeForNetwork(let network):
            "the account is on network \(network), so push is off; set push.peerId and push.addrs to its push node"
        case .unusedKey(let key, let source): "\(source): \(key) has no effect: this server has no such part"
        case .unknownVariable(let name, let suggestion): "\(name) is not read; did you mean \(suggestion)?"
        case .nodeConfIgnored(let ignored, let used):
            "\(ignored): the node configuration is not used, because \(used) gives one too; remove one of them"
        }
    }
}
