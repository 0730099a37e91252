import PushCrypto

/// What a round has read is older than a write on this device.
private struct OutOfDate: Error {}

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
            let pass = RoundPass(writes: writes, isLast: rereads >= timing.rereadLimit)
            do {
                let plan = try await read(pass)
                try await checkNode(for: plan)
                try await register(plan.registrations, pass)
                try await send(plan, pass)
                return
            } catch is OutOfDate {
                rereads += 1
            }
        }
    }

    private func check(_ pass: RoundPass) throws {
        try Task.checkCancellation()
        guard pass.isLast || pass.writes == writes else { throw OutOfDate() }
    }

    // MARK: Reading

    private func read(_ pass: RoundPass) async throws -> TopicPlan {
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
        let plan = TopicPlan(identity: identity, readings: readings, spaceKeys: spaceKeys)
        round.leftOut += plan.leftOut
        round.topics = plan.topics.count
        return plan
    }

    private func activeRows() async throws -> [SpaceRow] {
        let rows: [SpaceRow]
        do {
            rows = SpaceRow.active(try await source.spaces())
        } catch {
            try Task.checkCancellation()
            throw ReconcileError.spacesUnreadable(reason: PushEvent.text(of: error))
        }
        let active = Set(rows.map(\.spaceId))
        lastKnownChats = lastKnownChats.filter { active.contains($0.key) }
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
        let before = writes
        do {
            let chats = try await source.chats(of: spaceId)
            // A list that was read while a mode was written may be from before, and must not outlive this round; what
            // was known before it is older still.
            lastKnownChats[spaceId] = writes == before ? chats : nil
            return .listed(chats)
        } catch {
            try Task.checkCancellation()
            let reason = PushEvent.text(of: error)
            guard let known = lastKnownChats[spaceId] else {
                round.leftOut.append(LeftOutSpace(spaceId: spaceId, reason: .chatsUnavailable(reason: reason)))
                return .unknown
            }
            round.leftOut.append(LeftOutSpace(spaceId: spaceId, reason: .chatsRemembered(reason: reason)))
            return .remembered(known)
        }
    }

    // MARK: Writing

    /// Asks the node now and then whether it still holds what it has confirmed, when there is nothing else to tell it.
    private func checkNode(for plan: TopicPlan) async throws {
        guard landed?.topics == plan.topics, stopwatch.elapsed() - checkedAt >= timing.checkInterval else { return }
        do throws(PushNodeError) {
            let held = try await node.subscriptions()
            checkedAt = stopwatch.elapsed()
            guard Set(held) != plan.topics else { return }
            landed = nil
            registered = []
            onEvent(.topicsLost)
        } catch {
            // A node that can not tell is asked no sooner than one that can; one that was not reached is asked next
            // time.
            if error.isVerdict { checkedAt = stopwatch.elapsed() }
        }
    }

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

    private func send(_ plan: TopicPlan, _ pass: RoundPass) async throws {
        try check(pass)
        let unregistered = plan.subscribedSpaces.intersection(round.unregistered)
        let wanted = LandedTopics(topics: plan.topics, unregistered: unregistered)
        guard landed != wanted else {
            round.result = .unchanged
            return
        }
        landed = nil
        confirmAgainAt = nil
        do throws(PushNodeError) {
            try await node.subscribeAll(plan.signedTopics())
        } catch {
            if error.mayStillLand { stragglers.note(plan.topics, at: stopwatch.elapsed()) }
            throw error
        }
        round.result = .sent
        for space in plan.leftOut { onEvent(.spaceLeftOut(space)) }
        confirmAgainAt = stragglers.threat(to: plan.topics, at: stopwatch.elapsed())
        guard confirmAgainAt == nil, !round.leftOut.contains(where: \.isFailure) else { return }
        landed = wanted
        checkedAt = stopwatch.elapsed()
    }
}
