import AnySyncNet

// The device's token, what waits, and the clock.
extension PushDoctor {
    func examineToken(_ status: PushAccountStatus) -> DoctorStage {
        guard let token = status.activity?.token else {
            return .notChecked(.token, because: status.isEnabled ? "push is not running" : "push is off")
        }
        if let reason = token.recordError {
            return DoctorStage(
                .token, .fail, "The device's token can not be read or kept: \(reason).",
                fix: "Delete the token and let the app register it again."
            )
        }
        let failure = token.lastError.map { ": \(PushEvent.text(of: $0)), \(token.failures) tries in a row" } ?? ""
        guard token.isRegistered else {
            let deletion = DoctorStage.Detail("deletion", "the node has not confirmed it\(failure)")
            return DoctorStage(
                .token, .fail, "No token is registered, so the node knows no phone to notify.",
                fix: "Let the app on the phone register its token (any push token set).",
                details: token.isRevoking ? [deletion] : []
            )
        }
        let platform = token.platform?.name ?? "unknown"
        var details = [DoctorStage.Detail("platform", platform)]
        guard token.isSettled else {
            return DoctorStage(
                .token, token.lastError == nil ? .warning : .fail,
                "The token is registered here, but the node has not taken it yet\(failure).",
                fix: "It is tried again by itself; do what the stages above say.", details: details
            )
        }
        if let age = token.sinceConfirmed {
            details.append(DoctorStage.Detail("confirmed by the node", "\(age.components.seconds) s ago"))
        }
        return DoctorStage(
            .token, .ok, "The token is registered and the node has it (\(platform)).", details: details
        )
    }

    func examineQueue(_ status: PushAccountStatus) -> DoctorStage {
        guard let activity = status.activity else {
            return .notChecked(.queue, because: status.isEnabled ? "push is not running" : "push is off")
        }
        let (queue, hooks) = (activity.queue, activity.hooks)
        let waiting = queue.depth + hooks.depth
        let dropped = queue.dropped + hooks.dropped
        let givenUp = queue.givenUp
        var details = [
            DoctorStage.Detail("waiting", "\(waiting)"), DoctorStage.Detail("sent", "\(queue.sent)"),
            DoctorStage.Detail("dropped", "\(dropped)"), DoctorStage.Detail("given up", "\(givenUp)"),
            DoctorStage.Detail("not composed", "\(hooks.failed)"),
        ]
        if let error = queue.lastError { details.append(DoctorStage.Detail("last error", PushEvent.text(of: error))) }
        if let failure = hooks.lastFailure { details.append(DoctorStage.Detail("last not composed", "\(failure)")) }
        if let error = queue.lastError, queue.depth > 0 {
            return DoctorStage(
                .queue, .fail,
                "Notifications wait (\(queue.depth)), and the last try failed: \(PushEvent.text(of: error)).",
                fix: "They are tried again by themselves; do what the stages above say.", details: details
            )
        }
        if let losses = queue.losses {
            let ago = "\(losses.sinceLast.components.seconds) s"
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
        guard let probe else { return .notChecked(.clock, because: "no node was called to compare with") }
        let errors = probe.attempts.compactMap(\.error)
        for case .certificate(.notYetValid(let from, let now)) in errors {
            return DoctorStage(
                .clock, .fail,
                "This device's clock is at least \(from - now) s behind: the node's certificate begins later.",
                fix: "Set the clock of this device right, or that of the node if this one is right."
            )
        }
        for case .certificate(.expired(let until, let now)) in errors {
            return DoctorStage(
                .clock, .fail, "The node's certificate ended \(now - until) s ago by this device's clock.",
                fix: "Set the clock of this device right; if it is right, the node's operator must restart the node."
            )
        }
        if errors.contains(where: \.saysOurTimeIsWrong) {
            return DoctorStage(
                .clock, .fail,
                "The node says that our certificate is not valid now, so the clocks differ by an hour or more.",
                fix: "Set the clock of this device right, or that of the node."
            )
        }
        guard probe.attempts.contains(where: { $0.isPast(.tls) }) else {
            return .notChecked(.clock, because: "no certificate of the node was seen to compare with")
        }
        return DoctorStage(
            .clock, .ok,
            "Each side's certificate is valid by the other's clock, which is all that push asks of a clock; a smaller "
                + "difference can not be measured."
        )
    }
}

extension TransportError {
    /// Whether the peer refused our certificate for its validity (RFC 8446 §6.2, certificate_expired).
    fileprivate var saysOurTimeIsWrong: Bool { self == .tls(.refusedByPeer(alert: 45)) }
}
