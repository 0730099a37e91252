import AnySyncNet
import PushCrypto

/// Answers "why do I get no notifications?": looks at everything between the user's settings and the node, stage by
/// stage.
///
/// It changes nothing. It makes connections of its own to each of the node's addresses, under device keys made for this
/// once: a node keeps only the newest connection of a device, so under the account's own device key it would end the
/// connection that works. The one call it makes asks for the account's topics.
public struct PushDoctor: Sendable {
    /// The time that an examination takes at most. All together it stays below 20 s.
    public struct Limits: Hashable, Sendable {
        /// For each of looking a name up, connecting, and the handshakes of one connection.
        public var connectionStep = Duration.seconds(4)
        /// For one connection from beginning to end.
        public var connection = Duration.seconds(10)
        /// For the call to the node.
        public var call = Duration.seconds(5)
        /// For reading spaces, chats and ACL logs, which goes on while the connections are made.
        public var reading = Duration.seconds(10)
        /// Connections tried at most.
        public var connections = 16

        /// The defaults named at each property.
        public init() {}
    }

    let account: PushAccount
    let facts: [DoctorFact]
    let limits: Limits

    /// A doctor for an account, running or not.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - facts: the settings that have to do with push and where they come from.
    ///   - limits: see ``Limits``.
    public init(_ account: PushAccount, facts: [DoctorFact] = [], limits: Limits = Limits()) {
        self.account = account
        self.facts = facts
        self.limits = limits
    }

    /// Looks at every stage. It always ends with a report, at the latest after the times of ``Limits``.
    public func examine() async -> DoctorReport {
        let stopwatch = Stopwatch(.continuous)
        async let reading = read()
        let network = await examineNetwork()
        let spaces = await reading
        let status = await account.status
        var stages = [examineConfiguration(status)] + networkStages(network, status)
        stages.append(examineToken(status))
        stages.append(examineKeys(spaces))
        stages.append(examineTopics(spaces, network, status))
        stages.append(examineMutes(spaces))
        stages.append(examineQueue(status))
        stages.append(examineClock(network))
        return DoctorReport(stages: stages, duration: stopwatch.elapsed())
    }

    private func examineConfiguration(_ status: PushAccountStatus) -> DoctorStage {
        var details = facts.map { DoctorStage.Detail($0.name, "\($0.value) (\($0.source))") }
        let problems = facts.compactMap(\.problem)
        details += problems.map { DoctorStage.Detail("problem", $0) }
        if let reason = status.disabledReason {
            let fix =
                switch reason {
                case .switchedOff: "Set push.enabled to true, or leave it out, and restart the server."
                case .noNode, .enabledWithoutNode: "Set push.peerId and push.addrs to those of a node, and restart."
                case .noAddress: "Set push.addrs to the addresses of the push node, and restart the server."
                }
            return DoctorStage(
                .configuration, .fail, "Push is off: \(reason).", fix: problems.first ?? fix, details: details
            )
        }
        guard status.activity != nil else {
            return DoctorStage(
                .configuration, .fail, "Push is on, but it is not running.", fix: "Start the server.", details: details
            )
        }
        guard problems.isEmpty else {
            return DoctorStage(
                .configuration, .warning, "Push is on, but a setting is odd.", fix: problems[0], details: details
            )
        }
        let node = status.node.map { "\($0.peerId) at \($0.addresses.map(\.description).joined(separator: ", "))" }
        return DoctorStage(.configuration, .ok, "Push is on, with node \(node ?? "unknown").", details: details)
    }
}
