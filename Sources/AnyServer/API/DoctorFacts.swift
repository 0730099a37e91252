import AnySyncNet
import PushCrypto
import PushNode

/// The settings that have to do with push, for a report that goes over HTTP: no path of a file is in it.
enum DoctorFacts {
    static func all(of configuration: ServerConfiguration) -> [DoctorFact] {
        let push = configuration.push
        var facts = [
            fact("push.enabled", push.enabled) { $0.map { "\($0)" } ?? "not set: on when there is a peer id" },
            fact("push.peerId", push.peerId) { $0?.description ?? "not set" },
            fact("push.addrs", push.addresses) { addresses in
                addresses.isEmpty ? "not set" : addresses.map(\.description).joined(separator: ", ")
            },
        ]
        for warning in configuration.warnings {
            guard let (name, source, problem) = problem(of: warning) else { continue }
            facts.append(DoctorFact(name: name, value: "see the problem", source: source, problem: problem))
        }
        return facts
    }

    private static func fact<Value>(
        _ name: String, _ setting: Sourced<Value>, _ text: (Value) -> String
    ) -> DoctorFact {
        DoctorFact(name: name, value: text(setting.value), source: place(setting.source))
    }

    private static func problem(of warning: ConfigurationWarning) -> (name: String, source: String, problem: String)? {
        switch warning {
        case .pushHalfConfigured(let given, let missing, let source):
            (given, place(source), "\(given) is set and \(missing) is not, so push is off; set both, or neither.")
        case .pushEnabledWithoutNode(let source):
            (
                "push.enabled", place(source),
                "push.enabled is true but there is no push node; set push.peerId and push.addrs."
            )
        case .noNodeForNetwork(let network):
            (
                "network", "the account",
                "The account is on network \(network), so push is off; set push.peerId and push.addrs to its push node."
            )
        case .unusedKey, .unknownVariable, .nodeConfIgnored: nil
        }
    }

    /// Where a value comes from, a file by its last name only.
    private static func place(_ source: ConfigurationSource) -> String {
        guard case .file(let path, let line, let column) = source else { return source.description }
        let name = path.split(separator: "/").last.map(String.init) ?? "the configuration"
        return "\(name):\(line):\(column)"
    }
}
