import AnySyncNet
import PushAPI
import PushNode

/// What push is doing, for `GET /v1/push/status`.
struct PushStatusJSON {
    /// Errors of files name them.
    let paths: PathShortener
    /// What is to be said of the node itself.
    var nodeNotice: String?

    static let schema = Schema.named(
        "PushStatus",
        .object([
            .required("enabled", .boolean), .optional("disabledReason", .string()),
            .optional(
                "node",
                .object([
                    .required("peerId", .string()), .required("addrs", .array(of: .string())),
                    .optional("notice", .string(), "Whose node it is, when nobody has named one."),
                ])),
            .optional(
                "connection",
                .object([
                    .required("state", .string()), .optional("address", .string()), .optional("kind", .string()),
                    .optional("encrypted", .boolean), .optional("encryptedOnly", .string()),
                    .optional("reason", .string()), .optional("nextTrySeconds", .integer()),
                    .optional("warning", .string()), .optional("lastError", .string()),
                ])),
            .required(
                "queue",
                .object([
                    .required("depth", .integer()), .required("sent", .integer()), .required("dropped", .integer()),
                    .required("failed", .integer()), .optional("lastError", .string()),
                    .optional(
                        "lost",
                        .object([
                            .required("count", .integer()), .required("secondsAgo", .integer()),
                            .required("reason", .string()),
                        ]), "What was never sent of late, also before the last start."),
                ])),
            .required(
                "hooks",
                .object([
                    .required("depth", .integer()), .required("enqueued", .integer()), .required("dropped", .integer()),
                    .required("failed", .integer()), .optional("lastError", .string()),
                ])),
            .required(
                "reconciler",
                .object([
                    .required("rounds", .integer()), .required("running", .boolean),
                    .optional(
                        "lastRound",
                        .object([
                            .required("result", .string()), .required("spaces", .integer()),
                            .required("topics", .integer()),
                            .required("ageSeconds", .integer()),
                        ])),
                    .optional("landed", .boolean), .optional("landedSecondsAgo", .integer()),
                    .optional(
                        "otherTopics", .integer(),
                        "Topics of spaces that are not here, which another device has; they stay."),
                    .optional(
                        "replacedTopics", .integer(), "Such topics that were lost, for the node can only replace all."),
                    .optional("lastError", .string()),
                ])),
            .required(
                "token",
                .object([
                    .required("registered", .boolean), .optional("platform", .string()),
                    .optional("forwarded", .boolean),
                    .optional("confirmedSecondsAgo", .integer(), "Since the node confirmed it last."),
                    .optional("lastError", .string()),
                ])),
        ]))

    /// `{registered, platform?}`.
    static func registration(of token: DeviceTokenStatus) -> JSONObject {
        var object: JSONObject = ["registered": .bool(token.isRegistered)]
        object["platform"] = token.platform?.name.map { .string($0) }
        return object
    }

    /// The same, and when the node last confirmed it.
    static func confirmation(of token: DeviceTokenStatus) -> JSONObject {
        var object = registration(of: token)
        guard token.isRegistered else { return object }
        object["confirmed"] = .bool(token.isSettled)
        object["confirmedAt"] = token.sinceConfirmed.map {
            .string(Timestamp.text(Timestamp.now() - Int64($0 / .milliseconds(1))))
        }
        object["confirmedSecondsAgo"] = token.sinceConfirmed.map { .integer($0.components.seconds) }
        return object
    }

    func json(of status: PushAccountStatus) -> JSONObject {
        var object: JSONObject = ["enabled": .bool(status.isEnabled)]
        object["disabledReason"] = status.disabledReason.map { .string($0.rawValue) }
        object["node"] = status.node.map { node in
            var object: JSONObject = [
                "peerId": .string("\(node.peerId)"), "addrs": .array(node.addresses.map { .string("\($0)") }),
            ]
            object["notice"] = nodeNotice.map { .string($0) }
            return .object(object)
        }
        object["connection"] = status.activity.map { activity in
            var object = connection(activity.client, status.connectionWarning)
            object["encryptedOnly"] = status.encryptedOnly.map { .string($0.rawValue) }
            return .object(object)
        }
        object["queue"] = .object(queue(status.activity?.queue ?? NotifyQueue.Status()))
        object["hooks"] = .object(hooks(status.activity?.hooks ?? HookStatus()))
        object["reconciler"] = .object(reconciler(status.activity?.reconciler ?? ReconcileStatus()))
        object["token"] = .object(token(status.activity?.token ?? DeviceTokenStatus()))
        return object
    }

    private func connection(_ client: PushNodeClient.Status, _ warning: String?) -> JSONObject {
        var object = JSONObject()
        switch client.state {
        case .idle: object["state"] = "idle"
        case .connecting: object["state"] = "connecting"
        case .connected(let path):
            object["state"] = "connected"
            object["address"] = .string(path.address)
            object["kind"] = .string(path.kind.rawValue)
            object["encrypted"] = .bool(path.isEncrypted)
        case .pausing(let reason, let nextTry):
            object["state"] = "pausing"
            object["reason"] = .string(reason)
            // Rounded up: when it says 0, the next call is a try.
            let (seconds, fraction) = nextTry.components
            object["nextTrySeconds"] = .integer(seconds + (fraction > 0 ? 1 : 0))
        case .closed: object["state"] = "closed"
        }
        object["warning"] = warning.map { .string($0) }
        object["lastError"] = client.lastError.map { .string("\($0)") }
        return object
    }

    private func queue(_ queue: NotifyQueue.Status) -> JSONObject {
        var object: JSONObject = [
            "depth": .integer(Int64(queue.depth)), "sent": count(queue.sent), "dropped": count(queue.dropped),
            "failed": count(queue.givenUp),
        ]
        object["lastError"] = queue.lastError.map { .string("\($0)") }
        object["lost"] = queue.losses.map { losses in
            [
                "count": count(losses.count), "secondsAgo": .integer(losses.sinceLast.components.seconds),
                "reason": text(losses.lastReason),
            ]
        }
        return object
    }

    private func hooks(_ hooks: HookStatus) -> JSONObject {
        var object: JSONObject = [
            "depth": .integer(Int64(hooks.depth)), "enqueued": count(hooks.enqueued), "dropped": count(hooks.dropped),
            "failed": count(hooks.failed),
        ]
        object["lastError"] = hooks.lastFailure.map { text("\($0)") }
        return object
    }

    private func reconciler(_ status: ReconcileStatus) -> JSONObject {
        var object: JSONObject = ["rounds": count(status.rounds), "running": .bool(status.isRunning)]
        if let round = status.last {
            object["lastRound"] = [
                "result": .string(round.result.rawValue), "spaces": .integer(Int64(round.spaces)),
                "topics": .integer(Int64(round.topics)), "ageSeconds": .integer(round.age.components.seconds),
            ]
            object["landed"] = .bool(round.isLanded)
            if round.others > 0 { object["otherTopics"] = .integer(Int64(round.others)) }
            object["lastError"] = round.error.map { text("\($0)") }
        }
        if status.othersReplaced > 0 { object["replacedTopics"] = count(status.othersReplaced) }
        object["landedSecondsAgo"] = status.sinceLanded.map { .integer($0.components.seconds) }
        return object
    }

    private func token(_ token: DeviceTokenStatus) -> JSONObject {
        var object = Self.registration(of: token)
        if token.isRegistered { object["forwarded"] = .bool(token.isSettled) }
        object["confirmedSecondsAgo"] = token.sinceConfirmed.map { .integer($0.components.seconds) }
        object["lastError"] = (token.recordError ?? token.lastError.map { "\($0)" }).map(text)
        return object
    }

    private func text(_ text: String) -> JSONValue { .string(paths.shorten(text)) }

    private func count(_ value: UInt64) -> JSONValue { .integer(Int64(clamping: value)) }
}
