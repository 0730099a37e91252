import AnySyncNet
import AnySyncWire
import PushAPI

// The device's token, what waits, and the clock.
extension PushDoctor {
    func examineToken(_ status: PushAccountStatus, _ obstacle: String?) -> DoctorStage {
        guard let token = status.activity?.token else { return .notChecked(.token, because: "push is not running") }
        if let reason = token.recordError {
            return DoctorStage(
                .token, .fail, "The device's token cannot be read or kept: \(reason).",
                fix: "Let the app register its token again (any push token set)."
            )
        }
        let failure =
            token.lastError.map { ": \(PushEvent.text(of: $0)), \(counted(token.failures, "time")) in a row" } ?? ""
        guard token.isRegistered else {
            let deletion = DoctorStage.Detail(
                "deletion", "the node has not confirmed it\(obstacle == nil ? failure : "")")
            // An account that only sends has no phone.
            return DoctorStage(
                .token, .warning,
                "No phone is registered here, so notifications go to this account's other devices only.",
                fix: "To be notified, let the app on the phone register its token (any push token set).",
                details: token.isRevoking ? [deletion] : []
            )
        }
        let platform = token.platform?.name ?? "unknown"
        let details = [DoctorStage.Detail("platform", platform)]
        guard token.isSettled else {
            // Why is told by the stages above.
            if obstacle != nil {
                return DoctorStage(
                    .token, .warning, "The token is registered here; the node gets it once it answers.",
                    details: details
                )
            }
            return DoctorStage(
                .token, token.lastError == nil ? .warning : .fail,
                "The token is registered here, but the node has not taken it yet\(failure).",
                fix: "It is tried again by itself; do what the stages above say.", details: details
            )
        }
        let confirmed = token.sinceConfirmed.map { ", confirmed \($0.inWords) ago" } ?? ""
        let verb = obstacle == nil ? "has" : "had"
        return DoctorStage(
            .token, .ok, "The token is registered and the node \(verb) it (\(platform))\(confirmed).", details: details
        )
    }

    func examineQueue(_ status: PushAccountStatus, _ obstacle: String?) -> DoctorStage {
        guard let activity = status.activity else { return .notChecked(.queue, because: "push is not running") }
        let (queue, hooks) = (activity.queue, activity.hooks)
        let waiting = queue.depth + hooks.depth
        let dropped = queue.dropped + hooks.dropped
        let givenUp = queue.givenUp
        var details = [
            DoctorStage.Detail("waiting", "\(waiting)"), DoctorStage.Detail("sent", "\(queue.sent)"),
            DoctorStage.Detail("dropped", "\(dropped)"), DoctorStage.Detail("given up", "\(givenUp)"),
            DoctorStage.Detail("not composed", "\(hooks.failed)"),
        ]
        // Of a node that is away, the stages above have said it.
        if let error = queue.lastError, obstacle == nil {
            details.append(DoctorStage.Detail("last error", PushEvent.text(of: error)))
        }
        let waitingText = "\(counted(queue.depth, "notification")) \(queue.depth == 1 ? "waits" : "wait")"
        if let failure = hooks.lastFailure { details.append(DoctorStage.Detail("last not composed", "\(failure)")) }
        if obstacle != nil, queue.depth > 0 {
            return DoctorStage(.queue, .warning, "\(waitingText) for the node.", details: details)
        }
        if let error = queue.lastError, queue.depth > 0 {
            return DoctorStage(
                .queue, .fail, "\(waitingText), and the last try failed: \(PushEvent.text(of: error)).",
                fix: "They are tried again by themselves; do what the stages above say.", details: details
            )
        }
        if let losses = queue.losses {
            let ago = losses.sinceLast.inWords
            details.append(DoctorStage.Detail("last lost", "\(ago) ago: \(losses.lastReason)"))
            return DoctorStage(
                .queue, .warning, "Notifications were lost within a day: \(losses.count), the last one \(ago) ago.",
                fix: "Nothing brings them back; the details say what kept them.", details: details
            )
        }
        guard dropped == 0, givenUp == 0, hooks.failed == 0 else {
            return DoctorStage(
                .queue, .warning, "Notifications were lost since the start: \(dropped + givenUp + hooks.failed).",
                fix: "Nothing brings them back; the details say what kept them.", details: details
            )
        }
        let rest = waiting == 0 ? "nothing waits" : "\(waiting) on the way"
        return DoctorStage(.queue, .ok, "Nothing was lost, \(rest).", details: details)
    }

    /// What can be measured of the clock: only certificates tell the time, and only whether theirs has come. That is
    /// also all that push needs of a clock.
    func examineClock(_ probe: DoctorProbe?) -> DoctorStage {
        guard let probe else { return .notChecked(.clock, because: "push is not running") }
        let errors = probe.attempts.compactMap(\.error)
        for case .certificate(.notYetValid(let from, let now)) in errors {
            return DoctorStage(
                .clock, .fail,
                "This device's clock is at least \(Duration.seconds(from - now).inWords) behind: the node's certificate "
                    + "begins later.",
                fix: "Set the clock of this device right, or that of the node if this one is right."
            )
        }
        for case .certificate(.expired(let until, let now)) in errors {
            return DoctorStage(
                .clock, .fail,
                "The node's certificate ended \(Duration.seconds(now - until).inWords) ago by this device's clock.",
                fix: "Set the clock of this device right; if it is right, the node's operator must restart the node."
            )
        }
        if errors.contains(.tls(.refusedByPeer(alert: 45))) {
            return DoctorStage(
                .clock, .fail,
                "The node says that our certificate is not valid now, so the clocks differ by an hour or more.",
                fix:
                    "Compare this device's clock (date -u) with one that is right, and set it. If it is right, the node's is "
                    + "not: tell its operator."
            )
        }
        guard probe.attempts.contains(where: { $0.isPast(.tls) }) else {
            return .notChecked(.clock, because: probe.obstacle ?? "")
        }
        return DoctorStage(
            .clock, .ok,
            "Each side's certificate is valid by the other's clock, which is all that push asks of a clock."
        )
    }
}
