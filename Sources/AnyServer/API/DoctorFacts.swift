import PushNode

/// The settings that have to do with push, each with its source, as the doctor shows them.
struct DoctorFacts {
    let all: [DoctorFact]

    init(_ configuration: ServerConfiguration, network: NetworkChoice) {
        let push = configuration.push
        let enabled = push.enabled.value.map { "\($0)" } ?? "not set, so \(push.isEnabled ? "on" : "off")"
        let addresses = push.addresses.value.map { "\($0)" }.joined(separator: ", ")
        var facts = [
            DoctorFact(
                name: "push.enabled", value: enabled, source: "\(push.enabled.source)",
                problem: Self.problem(configuration.warnings)),
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

    private static func problem(_ warnings: [ConfigurationWarning]) -> String? {
        warnings.first { warning in
            switch warning {
            case .pushHalfConfigured, .pushEnabledWithoutNode, .noNodeForNetwork, .encryptionWithoutAddress: true
            case .unusedKey, .unknownVariable, .nodeConfIgnored: false
            }
        }?.description
    }

    private static func source(_ origin: NetworkChoice.Origin) -> String {
        switch origin {
        case .configuration(let source): "\(source)"
        case .account(let path): path
        case .production: "default: the production network"
        }
    }
}
