import AnySyncNet
import PushCrypto

extension PushSettings {
    /// The push node of the production network.
    enum Production {
        static let peerId = "12D3KooWMATrdteJNq2YvYhtq3RDeWxq6RVXDAr36MsGd5RJzXDn"
        // Yamux only: the node speaks no QUIC, which a bare address would try as well.
        static let address = Address(kind: .yamux, host: "anytype-push-server.anytype.io", port: 443)
    }

    /// Fills in the production network's node when nobody named a node or a network.
    ///
    /// The node is no part of a network's node configuration, so nothing else keeps a server of another network from
    /// pushing through the production node. Half a node is left as it is: the other half would not belong to it.
    ///
    /// - Returns: what is odd.
    mutating func pair(with network: NetworkSettings) -> [ConfigurationWarning] {
        switch (peerId.value, addresses.value.isEmpty) {
        case (nil, true) where network.isUnset:
            guard let production = try? PeerId(Production.peerId) else { return [] }
            peerId = Sourced(production, .pairedWithNetwork)
            addresses = Sourced([Production.address], .pairedWithNetwork)
            return encryptionWarnings
        case (nil, true):
            return enabled.value == true ? [.pushEnabledWithoutNode(enabled.source)] : []
        case (nil, false):
            return [.pushHalfConfigured(given: "push.addrs", missing: "push.peerId", addresses.source)]
        case (_, true):
            return [.pushHalfConfigured(given: "push.peerId", missing: "push.addrs", peerId.source)]
        case (_, false): return encryptionWarnings
        }
    }

    private var encryptionWarnings: [ConfigurationWarning] {
        let isReadable = addresses.value.allSatisfy { $0.kind?.isEncrypted == false }
        return requiresEncryption.value && isReadable ? [.encryptionWithoutAddress(requiresEncryption.source)] : []
    }

    /// What a server says at its start, and in its status, when it uses the production network's node without having been
    /// told to; `nil` otherwise.
    var productionNotice: String? {
        guard peerId.source == .pairedWithNetwork, enabled.value != false else { return nil }
        return "push goes through Anytype's production push node, for neither a network nor a push node is configured; "
            + "push.enabled: false, or ANY_PUSH_ENABLED=false, turns push off, push.peerId and push.addrs name another node"
    }

    /// Takes back what ``pair(with:)`` filled in, for a server that turns out to be on another network.
    ///
    /// - Returns: what is odd; `nil` when nothing was filled in.
    mutating func unpair(from network: NetworkChoice) -> ConfigurationWarning? {
        guard peerId.source == .pairedWithNetwork else { return nil }
        peerId = Sourced(nil)
        addresses = Sourced([])
        return .noNodeForNetwork(network.networkId)
    }
}
