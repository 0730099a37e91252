import AnySyncWire
import PushAPI

// What became of notifications behind the node.
extension PushDoctor {
    func examineDeliveries(
        _ told: Result<PushOutcomes?, PushNodeError>?, _ status: PushAccountStatus, _ obstacle: String?
    ) -> DoctorStage {
        if let obstacle { return .notChecked(.deliveries, because: obstacle) }
        switch told {
        case nil: return .notChecked(.deliveries, because: "push is not running")
        case .failure(let error):
            return .notChecked(.deliveries, because: "the node did not answer: \(PushEvent.text(of: error))")
        case .success(nil):
            return DoctorStage(
                .deliveries, .ok, "This node does not say what becomes of notifications; nodes of this software do.")
        case .success(let outcomes?):
            guard let last = outcomes.outcomes.last else {
                return DoctorStage(
                    .deliveries, .ok,
                    "The node has brought nothing to this device's phone since it started, \(outcomes.noting.inWords) ago."
                )
            }
            return stage(of: last, outcomes, status)
        }
    }

    private func stage(
        of last: PushOutcomes.Outcome, _ outcomes: PushOutcomes, _ status: PushAccountStatus
    ) -> DoctorStage {
        let details = outcomes.outcomes.reversed().map {
            DoctorStage.Detail("\($0.age.inWords) ago", "\($0.verdict.message)")
        }
        let verdict = last.verdict
        // A token that was registered again since is another try.
        let isOld = last.outcome == .tokenGone && status.activity?.token.sinceConfirmed.map { $0 < last.age } ?? false
        return DoctorStage(
            .deliveries, isOld ? .warning : verdict.status,
            "The last notification, \(last.age.inWords) ago: \(verdict.message)"
                + (isOld ? ", and the app has registered again since." : "."),
            fix: isOld ? "Try it: any push test." : verdict.fix, details: details
        )
    }
}

extension PushOutcomes.Outcome {
    /// What an outcome means, and what to do about it.
    package struct Verdict: Hashable, Sendable {
        /// How it looks.
        package let status: DoctorStage.Status
        /// What became of it, as the end of a sentence.
        package let message: String
        /// What to do, in a sentence.
        package let fix: String?
    }

    /// What the outcome means.
    package var verdict: Verdict {
        let tried = tries > 1 ? " (tried \(tries) times)" : ""
        let name = provider.isEmpty ? "the phone's provider" : "the phone's provider (\(provider))"
        switch outcome {
        case .delivered: return Verdict(status: .ok, message: "\(name) took it\(tried)", fix: nil)
        case .tokenGone:
            return Verdict(
                status: .fail, message: "\(name) says that the token is no phone's any more",
                fix: "Open the app on the phone, so that it registers a new token (any push token set).")
        case .payloadRefused:
            return Verdict(
                status: .warning, message: "\(name) does not take this notification",
                fix: "Update the server that sent it, and tell the node's operator.")
        case .providerUnavailable:
            return Verdict(
                status: .warning, message: "\(name) could not take it\(tried); it is tried again",
                fix: "Wait; if it lasts, tell the node's operator.")
        case .providerDiskFull:
            return Verdict(
                status: .fail, message: "the disk of \(name) is full\(tried); it is tried again",
                fix: "Tell the node's operator to make room.")
        case .misconfigured:
            return Verdict(
                status: .fail, message: "the node is set up wrongly for \(name)",
                fix: "Tell the node's operator to look at the node's log.")
        default:
            return Verdict(
                status: .warning, message: "the node says \(outcome.rawValue), which this version does not know",
                fix: "Update this software.")
        }
    }
}
