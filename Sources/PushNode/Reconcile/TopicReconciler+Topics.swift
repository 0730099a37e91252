import PushAPI
import PushCrypto

/// What a node holds for the account, as it said when it was asked.
struct HeldTopics: Sendable {
    /// The topics of spaces that this device knows.
    let own: Set<SubscribedTopic>
    /// The connection over which it was asked, or an earlier one.
    let connection: UInt64
}

// What the node holds, and how it is brought to hold what it should.
extension TopicReconciler {
    /// A change of a larger set than this goes to the node as what is taken away, when that is all it is: muting one of
    /// thousands of chats costs no more than muting the only one.
    private static let smallSet = 256
    /// How often a set is sent with topics of others that the node holds no longer, because the other device changed
    /// them in the meantime.
    private static let keepingTries = 3

    /// Asks the node what it holds, if that is not known or not believed anymore.
    ///
    /// - Returns: `nil` when there is no need, or the node can not tell.
    func heldTopics(for plan: TopicPlan) async throws -> HeldTopics? {
        let hasLanded = landed?.topics == plan.topics && landedOn >= newestConnection
        if hasLanded, let checkedAt, stopwatch.elapsed() - checkedAt < timing.checkInterval { return nil }
        let connection: UInt64
        let held: [SubscribedTopic]
        do throws(PushNodeError) {
            connection = try await node.connect()
            held = try await node.subscriptions()
        } catch {
            // One that can not tell is asked no sooner than one that can.
            if error.isVerdict { checkedAt = stopwatch.elapsed() }
            // One that was not reached is asked next time, and until then what it confirmed is believed.
            guard error.isVerdict || hasLanded else { throw error }
            if error.isVerdict, landedOn < newestConnection { landed = nil }
            return nil
        }
        checkedAt = stopwatch.elapsed()
        let own = Set(held.filter { knownKeys.contains($0.spaceKey) })
        others = held.filter { !own.contains($0) }
        if let landed, !landed.topics.isSubset(of: own) {
            // Whatever else it had confirmed may be lost as well.
            self.landed = nil
            registered = []
            await tokens?.bringAgain()
            onEvent(.topicsLost)
        }
        return HeldTopics(own: own, connection: connection)
    }

    /// Brings the node to hold what it should.
    ///
    /// - Parameter held: what it holds; `nil` when that is what landed, or the node can not tell.
    func bring(_ plan: TopicPlan, _ held: HeldTopics?, _ pass: RoundPass) async throws {
        try check(pass)
        let unregistered = plan.subscribedSpaces.intersection(round.unregistered)
        let wanted = LandedTopics(topics: plan.topics, unregistered: unregistered)
        if held == nil, landed == wanted {
            round.result = .unchanged
            return
        }
        landed = nil
        confirmAgainAt = nil
        if let held, held.own == plan.topics {
            round.result = .unchanged
        } else {
            do {
                try await send(plan, held, pass)
            } catch let error as PushNodeError {
                if error.mayStillLand { stragglers.note(plan.topics, at: stopwatch.elapsed()) }
                throw error
            }
            round.result = .sent
            for space in plan.leftOut { onEvent(.spaceLeftOut(space)) }
        }
        confirmAgainAt = stragglers.threat(to: plan.topics, at: stopwatch.elapsed())
        guard confirmAgainAt == nil, !round.leftOut.contains(where: \.isFailure) else { return }
        landed = wanted
        landedOn = held?.connection ?? newestConnection
    }

    private func send(_ plan: TopicPlan, _ held: HeldTopics?, _ pass: RoundPass) async throws {
        let (signed, removed) = sign(plan, held)
        if let removed {
            try await node.unsubscribe(removed)
            return
        }
        if others.isEmpty {
            try await node.subscribeAll(signed)
            return
        }
        if refusedToKeepOn == nil || refusedToKeepOn != newestConnection {
            for _ in 0..<Self.keepingTries {
                do throws(PushNodeError) {
                    try await node.subscribeAll(signed, keeping: others)
                    return
                } catch {
                    guard error == .refused(.invalidTopicSignature) else { throw error }
                }
                // Either the node keeps none by name, or the other device has changed its own.
                let now = try await node.subscriptions().filter { !knownKeys.contains($0.spaceKey) }
                try check(pass)
                guard Set(now) != Set(others) else { break }
                others = now
            }
            refusedToKeepOn = newestConnection
        }
        let lost = others.count
        try await node.subscribeAll(signed)
        others = []
        round.othersReplaced = lost
        if lost > 0 { onEvent(.otherTopicsReplaced(count: lost)) }
    }

    /// The plan's topics with their signatures, and what is to be taken away when that is the better way to say it.
    private func sign(_ plan: TopicPlan, _ held: HeldTopics?) -> (all: [SignedTopic], removed: [SignedTopic]?) {
        let isLarge = plan.topics.count > Self.smallSet
        if isLarge || !others.isEmpty, let held, plan.topics.isSubset(of: held.own) {
            let removed = plan.signed(held.own.subtracting(plan.topics))
            // Those of a space that was left can not be signed anymore.
            if let removed { return ([], removed) }
        }
        let all = plan.signedTopics(knowing: signatures)
        signatures =
            isLarge
            ? Dictionary(
                all.map { (SubscribedTopic(spaceKey: $0.spaceKey.rawRepresentation, name: $0.name), $0) },
                uniquingKeysWith: { first, _ in first }) : [:]
        return (all, nil)
    }
}

extension TopicLimits {
    /// What is left beside topics that are there already.
    func beside(_ others: [SubscribedTopic]) -> TopicLimits {
        var left = self
        for topic in others {
            left.count = max(left.count - 1, 0)
            left.bytes = max(left.bytes - Self.byteCount(spaceKey: topic.spaceKey, name: topic.name), 0)
        }
        return left
    }
}
