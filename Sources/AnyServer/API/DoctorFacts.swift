import PushNode

/// The settings that have to do with push, each with its source, as the doctor shows them.
struct DoctorFacts {
    let all: [DoctorFact]

    init(_ configuration: ServerConfiguration, network: NetworkChoice) {
        let push = configuration.push
        let isOn = push.peerId.value != nil && !push.addresses.value.isEmpty
        let enabled = push.enabled.value.map { "\($0)" } ?? "not set, so \(isOn ? "on" : "off")"
        let addresses = push.addresses.value.map { "\($0)" }.joined(separator: ", ")
        let problem = configuration.warnings.lazy.compactMap(Self.problem).first
        var facts = [
            DoctorFact(
                name: "push.enabled", value: enabled, source: "\(push.enabled.source)", problem: problem?.text,
                fix: problem?.fix),
            DoctorFact(
                name: "push.peerId", value: push.peerId.value.map { "\($0)" } ?? "not set",
                source: "\(push.peerId.source)"),
            DoctorFact(
                name: "push.addrs", value: addresses.isEmpty ? "not set" : addresses,
                source: "\(push.addresses.source)"),
        ]
        if push.requiresEncryption.value {
            facts.append(
                DoctorFact(name: "push.requireEncrypted", value: "true", source: "\(push.requiresEncryption.source)"))
        }
        facts.append(DoctorFact(name: "network", value: network.networkId, source: Self.source(network.origin)))
        all = facts
    }

    /// What is odd for push, and what to do about it.
    private static func problem(_ warning: ConfigurationWarning) -> (text: String, fix: String)? {
        switch warning {
        case .pushHalfConfigured(let given, let missing, let source):
            ("\(given) is set (\(source)) and \(missing) is not", "Set both, or neither, and restart the server.")
        case .pushEnabledWithoutNode(let source):
            (
                "push.enabled is true (\(source)) but no push node is configured",
                "Set push.peerId and push.addrs to those of a node, and restart the server."
            )
        case .noNodeForNetwork(let network):
            (
                "no push node is known for the account's network \(network)",
                "Set push.peerId and push.addrs to the network's push node, and restart the server."
            )
        case .encryptionWithoutAddress(let source):
            (
                "push.requireEncrypted is true (\(source)) and every address of push.addrs is readable on the path",
                "Write the node's address without a scheme, or as tls+yamux:// or quic://, and restart the server."
            )
        case .unusedKey, .unknownVariable, .nodeConfIgnored: nil
        }
    }

    private static func source(_ origin: NetworkChoice.Origin) -> String {
        switch origin {
        case .configuration(let source): "\(source)"
        case .account(let path): path
        case .production: "default: the production network"
        }
    }
}
