package import ProtoWire
package import PushAPI
package import PushCrypto
package import SQLiteStorage

extension SQLiteStore: NodeStore {
    package func setToken(
        _ token: WireString, platform: Platform, of caller: Caller, at time: NodeTime, limit: Int, accountLimit: Int
    ) async throws(StoreError) -> TokenRegistration {
        let mayGrow = mayGrow
        return try await change { connection throws(SQLiteError) in
            try connection.setToken(
                token, platform: platform, of: caller, at: time, limit: limit, accountLimit: accountLimit,
                mayGrow: mayGrow)
        }
    }

    package func revokeToken(of caller: Caller) async throws(StoreError) {
        try await change { connection throws(SQLiteError) in try connection.revokeToken(of: caller) }
    }

    package func createSpace(
        _ spaceKey: [UInt8], author: PublicKey, at time: UnixTime, limit: Int
    ) async throws(StoreError) -> SpaceCreation {
        let mayGrow = mayGrow
        return try await change { connection throws(SQLiteError) in
            try connection.createSpace(spaceKey, author: author, at: time, limit: limit, mayGrow: mayGrow)
        }
    }

    package func removeSpace(_ spaceKey: [UInt8], author: PublicKey) async throws(StoreError) {
        try await change { connection throws(SQLiteError) in
            try connection.removeSpace(spaceKey, author: author)
        }
    }

    package func topics(of account: PublicKey) async throws(StoreError) -> [TopicKey] {
        try requireInPlace()
        return try read { connection throws(SQLiteError) in try connection.topics(of: account) }
    }

    package func replaceTopics(
        of account: PublicKey, by topics: [TopicKey], permit: @escaping TopicPermit
    ) async throws(StoreError) -> Bool {
        let mayGrow = mayGrow
        return try await change { connection throws(SQLiteError) in
            try connection.replaceTopics(of: account, by: topics, permit: permit, mayGrow: mayGrow)
        }
    }

    package func removeTopics(
        _ topics: [TopicKey], of account: PublicKey, permit: @escaping TopicPermit
    ) async throws(StoreError) -> Bool {
        try await change { connection throws(SQLiteError) in
            try connection.removeTopics(topics, of: account, permit: permit)
        }
    }

    package func accept(
        _ notification: IncomingNotification, limits: QueueLimits
    ) async throws(StoreError) -> Acceptance {
        let sender = SenderTag(notification.sender)
        let count = notification.places
        let key = notification.repeatKey
        // Taken before it is committed, so that those committed together can not pass a limit together.
        if let refusal = places.take(count, for: sender, limits) {
            // What is in the queue already needs no place in it.
            guard let key else { return refusal }
            let isRepeated = try read { connection throws(SQLiteError) in
                try connection.isRemembered(key, now: notification.acceptedAt)
            }
            return isRepeated ? .repeated : refusal
        }
        let eviction = repeats.eviction(for: sender, limits.repeats)
        if key != nil { repeats.add(of: sender) }
        var outcome: AcceptedNotification?
        defer {
            if case .queued(_, let forgotten) = outcome {
                for other in forgotten { repeats.remove(of: other) }
            } else {
                places.give(count, of: sender)
                if key != nil { repeats.remove(of: sender) }
            }
        }
        let mayGrow = mayGrow
        let made = try await change { connection throws(SQLiteError) in
            try connection.accept(notification, key, eviction, mayGrow: mayGrow)
        }
        outcome = made
        switch made {
        case .queued(let queued, _): return .queued(queued)
        case .repeated: return .repeated
        case .reachesNobody: return .reachesNobody
        }
    }

    package func waiting(in lane: Platform) async throws(StoreError) -> [QueuedNotification] {
        try read { connection throws(SQLiteError) in try connection.waiting(in: lane) }
    }

    package func match(
        _ notification: Int64, in lane: Platform, limit: Int, now: NodeTime
    ) async throws(StoreError) -> Match {
        let (match, freed) = try await change(durable: false) { connection throws(SQLiteError) in
            let match = try connection.match(notification, in: lane, limit: limit, now: now)
            return (match, match?.isLast == true ? try connection.dropIfDone(notification) : nil)
        }
        if let freed { free([freed]) }
        // It was matched to the end before.
        let nothing = NotificationContent(isSilent: true, groupId: "", message: nil)
        return match ?? Match(content: nothing, deliveries: [], isLast: true, isExpired: false)
    }

    package func takeDue(
        in lane: Platform, limit: Int, now: NodeTime
    ) async throws(StoreError) -> DueDeliveries {
        let lane64 = Int64(lane.rawValue)
        var senders: [SenderTag] = []
        while senders.count < min(limit, Self.sendersAtOnce), let sender = due[lane64]?.next(now: now) {
            senders.append(sender)
        }
        guard !senders.isEmpty else { return DueDeliveries(deliveries: [], expired: 0, withoutDevice: 0) }
        do throws(StoreError) {
            let turn = senders
            let (taken, freed, next) = try await change(durable: false) { connection throws(SQLiteError) in
                try connection.takeDue(in: lane, of: turn, limit: limit, now: now)
            }
            for sender in senders { due[lane64]?.put(sender, next: next[sender], now: now) }
            free(freed)
            return taken
        } catch {
            // They are where they were, and due.
            for sender in senders { due[lane64]?.put(sender, next: now, now: now) }
            throw error
        }
    }

    package func nextDue(in lane: Platform) async throws(StoreError) -> NodeTime? {
        due[Int64(lane.rawValue)]?.earliest()
    }

    package func record(_ results: [DeliveryResult]) async throws(StoreError) {
        let (freed, retries) = try await change(durable: false) { connection throws(SQLiteError) in
            try connection.record(results)
        }
        free(freed)
        for retry in retries {
            due[Int64(retry.lane.rawValue), default: DueSenders()].add(retry.sender, at: retry.due)
        }
    }

    /// Senders whose due deliveries are taken in one step: each costs a search.
    private static let sendersAtOnce = 32

    // Read before a change waits for its transaction, like the limits of the queue. What is taken until the next commit
    // goes beyond the limit, by far less than is kept back.
    private var mayGrow: Bool { !room.isFull }

    private func free(_ freed: [FreedPlaces]) {
        for places in freed { self.places.give(places.count, of: places.sender) }
    }

    package func statistics() async throws(StoreError) -> StoreStatistics {
        var statistics = try read { connection throws(SQLiteError) in try connection.statistics() }
        statistics.isInPlace = isInPlace
        return statistics
    }
}
