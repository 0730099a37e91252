/// The network that a server's account is on, and who chose it.
public struct NetworkChoice: Hashable, Sendable {
    /// Where the network comes from.
    public enum Origin: Hashable, Sendable {
        /// The configuration: `network.nodeconf` or `network.nodeconfPath`.
        case configuration(ConfigurationSource)
        /// The account's `network.json`.
        case account(path: String)
        /// Nothing: it is the production network.
        case production
    }

    /// Anytype's production network.
    public static let productionNetworkId = "N83gJpVd9MuNRZAuJLZ7LiMntTThhPc6DtzWWVjb1M3PouVU"

    /// The network's id, `N…`.
    public let networkId: String
    /// Where it comes from.
    public let origin: Origin
}

extension NetworkSettings {
    /// The network: what the configuration says, else what the account's `network.json` says, else the production network.
    ///
    /// - Throws: ``ConfigurationError`` when a node configuration is missing or malformed.
    func choose(account directory: AccountDirectory?) throws(ConfigurationError) -> NetworkChoice {
        if let text = nodeConf.value {
            let conf = try NodeConf(Array(text.utf8), name: "network.nodeconf")
            return NetworkChoice(networkId: conf.networkId, origin: .configuration(nodeConf.source))
        }
        if let path = nodeConfPath.value {
            guard let text = try ConfigurationFile.read(path) else {
                throw ConfigurationError(.missingFile(path: path), at: nodeConfPath.source)
            }
            let conf = try NodeConf(text, name: path)
            return NetworkChoice(networkId: conf.networkId, origin: .configuration(nodeConfPath.source))
        }
        if let path = directory?.networkPath, let text = try ConfigurationFile.read(path, isOwn: true) {
            return NetworkChoice(networkId: try NodeConf(text, name: path).networkId, origin: .account(path: path))
        }
        return NetworkChoice(networkId: NetworkChoice.productionNetworkId, origin: .production)
    }

    /// Lets only one of the two forms stand: that of higher rank, or the node configuration itself.
    ///
    /// - Returns: what is odd.
    mutating func keepOne() -> [ConfigurationWarning] {
        guard nodeConf.value != nil, nodeConfPath.value != nil else { return [] }
        let warning: ConfigurationWarning
        if nodeConfPath.source.rank > nodeConf.source.rank {
            warning = .nodeConfIgnored(ignored: nodeConf.source, used: nodeConfPath.source)
            nodeConf = Sourced(nil)
        } else {
            warning = .nodeConfIgnored(ignored: nodeConfPath.source, used: nodeConf.source)
            nodeConfPath = Sourced(nil)
        }
        return [warning]
    }
}

extension ServerConfiguration {
    /// The network that the server is on with an account. The production network's push node goes when it is another.
    ///
    /// - Parameter directory: the account's; `nil` while there is no account.
    /// - Throws: ``ConfigurationError`` when a node configuration is missing or malformed.
    public mutating func joinNetwork(account directory: AccountDirectory?) throws(ConfigurationError) -> NetworkChoice {
        let choice = try network.choose(account: directory)
        if choice.networkId != NetworkChoice.productionNetworkId, let warning = push.unpair(from: choice) {
            warnings.append(warning)
        }
        return choice
    }
}
