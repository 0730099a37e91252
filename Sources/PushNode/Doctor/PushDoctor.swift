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
        let before = await account.status
        guard before.activity != nil else {
            // One cause of everything else.
            return DoctorReport([examineConfiguration(before)], duration: stopwatch.elapsed())
        }
        async let reading = read()
        async let outcomes = askForOutcomes()
        let network = await examineNetwork()
        let spaces = await reading
        let told = await outcomes
        let status = await account.status
        let obstacle = network?.obstacle
        var stages = [examineConfiguration(status)] + networkStages(network)
        stages.append(examineToken(status, obstacle))
        stages.append(examineKeys(spaces))
        stages.append(examineTopics(spaces, network, before, status))
        stages.append(examineMutes(spaces))
        stages.append(examineQueue(status, obstacle))
        stages.append(examineDeliveries(told, status, obstacle))
        stages.append(examineClock(network))
        return DoctorReport(stages, duration: stopwatch.elapsed())
    }

    /// What the node says became of notifications, over the account's own connection: under a device key of the doctor's,
    /// it would be another device's.
    private func askForOutcomes() async -> Result<PushOutcomes?, PushNodeError>? {
        guard let client = account.runtime?.client else { return nil }
        do throws(PushNodeError) { return .success(try await client.outcomes()) } catch { return .failure(error) }
    }

    private func examineConfiguration(_ status: PushAccountStatus) -> DoctorStage {
        var details = facts.map { DoctorStage.Detail($0.name, "\($0.value) (\($0.source))") }
        let odd = facts.filter { $0.problem != nil }
        // The first is the stage's sentence.
        details += odd.dropFirst().compactMap(\.problem).map { DoctorStage.Detail("problem", $0) }
        if let reason = status.disabledReason {
            let fix =
                switch reason {
                case .switchedOff: "Set push.enabled to true, or leave it out, and restart the server."
                case .noNode, .enabledWithoutNode:
                    "Set push.peerId and push.addrs to those of a node, and restart the server."
                case .noAddress: "Set push.addrs to the addresses of the push node, and restart the server."
                }
            guard reason != .switchedOff else {
                return DoctorStage(.configuration, .fail, "Push is switched off.", fix: fix, details: details)
            }
            // What is odd is why.
            return DoctorStage(
                .configuration, .fail, "Push is off: \(odd.first?.problem ?? "\(reason)").", fix: odd.first?.fix ?? fix,
                details: details
            )
        }
        guard status.activity != nil else {
            return DoctorStage(
                .configuration, .fail, "Push is on, but it is not running.", fix: "Start the server.", details: details
            )
        }
        if let first = odd.first, let problem = first.problem {
            return DoctorStage(
                .configuration, .warning, "Push is on, but \(problem).", fix: first.fix, details: details
            )
        }
        let node = status.node.map { "\($0.peerId) at \($0.addresses.map(\.description).joined(separator: ", "))" }
        return DoctorStage(.configuration, .ok, "Push is on, with node \(node ?? "unknown").", details: details)
    }
}
