import ProtoWire
import PushAPI
import PushCrypto

// What the user's spaces and settings ask for, and what the node holds.
extension PushDoctor {
    func examineKeys(_ reading: DoctorReading) -> DoctorStage {
        guard case .success(let spaces) = reading.spaces else { return unreadable(.spaceKeys, reading) }
        var isFailing = false
        var without = 0
        var notGiven = 0
        let details = spaces.map { space in
            switch space.standing {
            case .failure(let error):
                isFailing = true
                return DoctorStage.Detail(space.label, error.reason)
            case .success(let standing):
                switch standing.keys {
                case .success(let keys):
                    let records = counted(standing.recordCount, "record")
                    return DoctorStage.Detail(space.label, "key \(keys.encryptionKeyId.prefix(8))…, from \(records)")
                case .failure(let reason):
                    without += 1
                    if reason.isAMembersLack { notGiven += 1 }
                    return DoctorStage.Detail(space.label, "\(reason)")
                }
            }
        }
        if isFailing {
            return DoctorStage(
                .spaceKeys, .fail, "The keys of a space cannot be derived, so nothing comes from it.",
                fix: "Let the space finish loading; if that does not help, import it again.", details: details
            )
        }
        if notGiven > 0 {
            return DoctorStage(
                .spaceKeys, .fail,
                "The current keys of \(notGiven) of \(counted(spaces.count, "space")) were not given to this account.",
                fix: "Ask an admin of these spaces to rotate their keys.", details: details
            )
        }
        if without > 0 {
            return DoctorStage(
                .spaceKeys, .warning, "This account has no keys of \(without) of \(counted(spaces.count, "space")).",
                fix: "Have the space's owner accept or add the account.", details: details
            )
        }
        let message = spaces.isEmpty ? "There is no active space." : "The keys of every space are there."
        return DoctorStage(.spaceKeys, .ok, message, details: details)
    }

    func examineTopics(
        _ reading: DoctorReading, _ probe: DoctorProbe?, _ before: PushAccountStatus, _ status: PushAccountStatus
    ) -> DoctorStage {
        guard case .success(let spaces) = reading.spaces else { return unreadable(.topics, reading) }
        guard case .success(let held) = probe?.call?.topics else {
            return .notChecked(.topics, because: probe?.obstacle ?? "the node did not tell which topics it holds")
        }
        let known = spaces.compactMap { space in space.keys.map { (space, $0) } }
        let plan = TopicPlan(
            identity: account.options.account.publicKey,
            readings: known.map { space, keys in
                let chats = (try? space.chats.get()).map { chats in
                    SpaceReading.Chats.listed(chats.map { SpaceModes.Chat(chatId: $0.id, mode: $0.notifyMode) })
                }
                return SpaceReading(row: space.row, keys: keys, chats: chats ?? .unknown)
            },
            spaceKeys: Dictionary(
                known.map { ($0.0.row.spaceId, $0.1.spaceKey.publicKey) }, uniquingKeysWith: { first, _ in first }
            )
        )
        // Of a space whose chats are not known, no topic can be told right or wrong.
        let unknown = Set(
            known.filter { (try? $0.0.chats.get()) == nil }.map { $0.1.spaceKey.publicKey.rawRepresentation }
        )
        let ofOthers = held.count { !reading.knownKeys.contains($0.spaceKey) }
        let found = Set(held).filter { reading.knownKeys.contains($0.spaceKey) && !unknown.contains($0.spaceKey) }
        let labels = Dictionary(
            known.map { ($0.1.spaceKey.publicKey.rawRepresentation, $0.0.label) },
            uniquingKeysWith: { first, _ in first }
        )
        let missing = lines("missing", plan.topics.filter { !unknown.contains($0.spaceKey) }.subtracting(found), labels)
        let extra = lines("too many", found.subtracting(plan.topics), labels)
        let last = status.activity?.reconciler.last
        guard missing.isEmpty, extra.isEmpty else {
            let difference = Self.difference(missing.count, extra.count)
            // What was compared may be of before a round, or one is about to come.
            if Self.isRoundDue(before, status) {
                return DoctorStage(
                    .topics, .ok, "A round is due that brings the settings to the node (\(difference)).",
                    details: missing + extra
                )
            }
            let reason = last?.error.map { " The last round failed: \($0)." } ?? ""
            return DoctorStage(
                .topics, .fail,
                "The node holds other topics than the settings ask for: \(difference).\(reason)",
                fix: last?.error == nil
                    ? "Wait for the next round, at most 5 minutes; if another device uses this account, update it."
                    : "Do what the stages above say; the topics are sent again by themselves.",
                details: missing + extra
            )
        }
        guard unknown.isEmpty else {
            return DoctorStage(
                .topics, .warning,
                "The topics of \(counted(unknown.count, "space")) cannot be compared, for the chats are not known.",
                fix: "Let what is missing finish loading."
            )
        }
        let message = "The node holds exactly the \(counted(found.count, "topic")) that the settings ask for"
        if let replaced = status.activity?.reconciler.othersReplaced, replaced > 0 {
            return DoctorStage(
                .topics, .warning,
                "\(message), in the place of \(replaced) of spaces that only another device of this account has: this node "
                    + "cannot keep both.",
                fix: "Import these spaces here too, and this device's there, or use a node that keeps both.")
        }
        let others = ofOthers > 0 ? ", and \(ofOthers) of spaces that only another device of this account has" : ""
        return DoctorStage(.topics, .ok, "\(message)\(others).")
    }

    private static func difference(_ missing: Int, _ extra: Int) -> String {
        [missing > 0 ? "\(missing) missing" : nil, extra > 0 ? "\(extra) too many" : nil].compactMap { $0 }
            .joined(separator: ", ")
    }

    /// Whether a round was due before or after the node was asked, or ran meanwhile.
    private static func isRoundDue(_ before: PushAccountStatus, _ after: PushAccountStatus) -> Bool {
        guard let first = before.activity?.reconciler, let last = after.activity?.reconciler else { return false }
        return first.isDue || last.isDue || first.rounds != last.rounds
    }

    private func lines(
        _ name: String, _ topics: Set<SubscribedTopic>, _ labels: [[UInt8]: String]
    ) -> [DoctorStage.Detail] {
        topics.map { topic in
            let space = labels[topic.spaceKey] ?? "unknown space \(Base58.encode(topic.spaceKey))"
            return DoctorStage.Detail(name, "\(space): \(topic.name)")
        }.sorted { $0.value < $1.value }
    }

    func examineMutes(_ reading: DoctorReading) -> DoctorStage {
        guard case .success(let spaces) = reading.spaces else { return unreadable(.muted, reading) }
        var details: [DoctorStage.Detail] = []
        var muted = 0
        var misspelt = 0
        for space in spaces {
            if let text = space.unknownMode {
                misspelt += 1
                details.append(
                    DoctorStage.Detail(space.label, "notifyMode is \"\(text)\", which is no mode and counts as not set")
                )
            }
            if let mode = space.row.mode, mode != .all {
                details.append(DoctorStage.Detail(space.label, mode.sentence))
                if mode == .none { muted += 1 }
            }
            for chat in (try? space.chats.get()) ?? [] {
                guard let mode = chat.notifyMode, mode != .all else { continue }
                let name = chat.name.isEmpty ? chat.id : chat.name.string
                details.append(DoctorStage.Detail("\(space.label), chat \(name)", mode.sentence))
                if mode == .none { muted += 1 }
            }
        }
        if misspelt > 0 {
            return DoctorStage(
                .muted, .warning,
                "The notifyMode of \(counted(misspelt, "space")) is no mode, so every message notifies there"
                    + (muted > 0 ? "; \(muted == 1 ? "one is" : "\(muted) are") muted." : "."),
                fix: "Set notifyMode to all, mentions or none, or unset it.", details: details
            )
        }
        guard muted > 0 else {
            let message = details.isEmpty ? "Nothing is muted." : "Nothing is muted, but not every message notifies."
            return DoctorStage(.muted, .ok, message, details: details)
        }
        return DoctorStage(
            .muted, .warning,
            (muted == 1 ? "A space or chat is" : "\(muted) spaces and chats are") + " muted by the user's settings.",
            fix: "Set notifyMode of what should be heard to all, or unset it.", details: details
        )
    }

    private func unreadable(_ name: DoctorStage.Name, _ reading: DoctorReading) -> DoctorStage {
        guard case .failure(let error) = reading.spaces else { return .notChecked(name, because: "nothing was read") }
        return DoctorStage(
            name, .fail, "The account's spaces cannot be read: \(error.reason).",
            fix: "Restart the server; if that does not help, look at its log."
        )
    }
}

extension NotifyMode {
    fileprivate var sentence: String {
        switch self {
        case .all: "every message notifies"
        case .mentions: "mentions only"
        case .none: "muted"
        }
    }
}
