import PushAPI
import PushCrypto

/// What a round has read is older than a write on this device.
struct OutOfDate: Error {}

/// Up to which write a pass of a round sees the modes.
struct RoundPass: Sendable {
    /// The writes before the pass began to read.
    let writes: UInt64
    /// Whether it goes on in spite of later writes, for a round that never ends would not bring any mode to the node.
    let isLast: Bool
}

extension TopicReconciler {
    /// One round.
    func reconcile() async throws {
        if let tokens {
            let isSettled = await tokens.forward(within: timing.tokenBudget)
            round.isTokenSettled = isSettled
        }
        var rereads = 0
        while true {
            let pass = RoundPass(writes: writes.count, isLast: rereads >= timing.rereadLimit)
            do {
                let readings = try await read(pass)
                let held = try await heldTopics(for: plan(readings))
                // Made once more, for the room that topics of others take is known now.
                let plan = plan(readings)
                round.leftOut += plan.leftOut
                round.topics = plan.topics.count
                round.others = others.count
                try await register(plan.registrations, pass)
                try await bring(plan, held, pass)
                return
            } catch is OutOfDate {
                rereads += 1
            }
        }
    }

    func check(_ pass: RoundPass) throws {
        try Task.checkCancellation()
        guard pass.isLast || pass.writes == writes.count else { throw OutOfDate() }
    }

    // MARK: Reading

    private func read(_ pass: RoundPass) async throws -> [SpaceReading] {
        round.leftOut = []
        let rows = try await activeRows()
        round.spaces = rows.count
        var readings: [SpaceReading] = []
        for row in rows {
            try check(pass)
            guard let keys = try await keys(of: row.spaceId) else { continue }
            try check(pass)
            readings.append(SpaceReading(row: row, keys: keys, chats: try await chats(of: row.spaceId)))
        }
        return readings
    }

    private func plan(_ readings: [SpaceReading]) -> TopicPlan {
        TopicPlan(
            identity: identity, readings: readings, spaceKeys: spaceKeys, limits: TopicLimits().beside(others)
        )
    }

    private func activeRows() async throws -> [SpaceRow] {
        let rows: [SpaceRow]
        do {
            let all = try await source.spaces()
            knownKeys.formUnion(all.compactMap { $0.pushKey?.rawRepresentation })
            rows = SpaceRow.active(all)
        } catch {
            try Task.checkCancellation()
            throw ReconcileError.spacesUnreadable(reason: PushEvent.text(of: error))
        }
        let active = Set(rows.map(\.spaceId))
        lastKnownChats = lastKnownChats.filter { active.contains($0.key) }
        writes.keep(active)
        spaceKeys = spaceKeys.filter { active.contains($0.key) }
        return rows
    }

    private func keys(of spaceId: String) async throws -> SpacePushKeys? {
        do {
            guard let keys = try await source.keys(of: spaceId) else {
                round.leftOut.append(LeftOutSpace(spaceId: spaceId, reason: .noKeys))
                return nil
            }
            spaceKeys[spaceId] = keys.spaceKey.publicKey
            knownKeys.insert(keys.spaceKey.publicKey.rawRepresentation)
            return keys
        } catch let reason as ACLKeyUnavailable {
            round.leftOut.append(LeftOutSpace(spaceId: spaceId, reason: .keysNotGiven(reason)))
            return nil
        } catch {
            try Task.checkCancellation()
            let reason = PushEvent.text(of: error)
            round.leftOut.append(LeftOutSpace(spaceId: spaceId, reason: .keysUnavailable(reason: reason)))
            return nil
        }
    }

    private func chats(of spaceId: String) async throws -> SpaceReading.Chats {
        let before = writes.count
        do {
            let chats = try await source.chats(of: spaceId)
            // A list that was read while a mode was written may be from before, and must not outlive this round; what
            // was known before it is older still.
            lastKnownChats[spaceId] = writes.count == before ? (chats, before) : nil
            return .listed(chats)
        } catch {
            try Task.checkCancellation()
            let reason = PushEvent.text(of: error)
            guard let known = lastKnownChats[spaceId], writes.isCurrent(spaceId, since: known.writes) else {
                round.leftOut.append(LeftOutSpace(spaceId: spaceId, reason: .chatsUnavailable(reason: reason)))
                return .unknown
            }
            round.leftOut.append(LeftOutSpace(spaceId: spaceId, reason: .chatsRemembered(reason: reason)))
            return .remembered(known.chats)
        }
    }

    // MARK: Registering

    private func register(_ registrations: [TopicPlan.Registration], _ pass: RoundPass) async throws {
        let start = stopwatch.elapsed()
        if start - registeredAt >= timing.checkInterval {
            // The node can not be asked what it has registered, and does not mind being told again.
            registered = []
            registeredAt = start
        }
        round.unregistered = []
        failedRegistrations.formIntersection(registrations.map(\.spaceId))
        var isNodeAnswering = true
        for space in due(registrations) {
            try check(pass)
            guard isNodeAnswering, stopwatch.elapsed() - start < timing.registrationBudget else {
                round.unregistered.append(space.spaceId)
                continue
            }
            guard let error = await registrationError(space.keys) else {
                registered.insert(space.keys.spaceKey.publicKey)
                failedRegistrations.remove(space.spaceId)
                continue
            }
            failedRegistrations.insert(space.spaceId)
            round.unregistered.append(space.spaceId)
            onEvent(.registrationFailed(spaceId: space.spaceId, error))
            isNodeAnswering = error.isVerdict
        }
    }

    // Those that have failed come last, so that one that always fails does not keep the others from their turn.
    private func due(_ registrations: [TopicPlan.Registration]) -> [TopicPlan.Registration] {
        let due = registrations.filter { !registered.contains($0.keys.spaceKey.publicKey) }
        return due.filter { !failedRegistrations.contains($0.spaceId) }
            + due.filter { failedRegistrations.contains($0.spaceId) }
    }

    private func registrationError(_ keys: SpacePushKeys) async -> PushNodeError? {
        do throws(PushNodeError) {
            try await node.createSpace(keys)
            return nil
        } catch .refused(.spaceExists) {
            return nil
        } catch {
            return error
        }
    }
}
