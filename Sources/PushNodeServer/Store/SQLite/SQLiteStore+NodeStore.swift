package import ProtoWire
package import PushCrypto
package import PushNode
package import SQLiteStorage

extension SQLiteStore: NodeStore {
    package func setToken(
        _ token: WireString, platform: Platform, of caller: Caller, at time: NodeTime, limit: Int, accountLimit: Int
    ) async throws(StoreError) -> TokenRegistration {
        try await change { connection throws(SQLiteError) in
            try connection.setToken(
                token, platform: platform, of: caller, at: time, limit: limit, accountLimit: accountLimit)
        }
    }

    package func revokeToken(of caller: Caller) async throws(StoreError) {
        try await change { connection throws(SQLiteError) in try connection.revokeToken(of: caller) }
    }

    package func createSpace(
        _ spaceKey: [UInt8], author: PublicKey, at time: UnixTime, limit: Int
    ) async throws(StoreError) -> SpaceCreation {
        try await change { connection throws(SQLiteError) in
            try connection.createSpace(spaceKey, author: author, at: time, limit: limit)
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

    package func replaceTopics(of account: PublicKey, by topics: [TopicKey]) async throws(StoreError) {
        try await change { connection throws(SQLiteError) in
            try connection.replaceTopics(of: account, by: topics)
        }
    }

    package func removeTopics(_ topics: [TopicKey], of account: PublicKey) async throws(StoreError) {
        try await change { connection throws(SQLiteError) in
            try connection.removeTopics(topics, of: account)
        }
    }

    package func accept(_ notification: IncomingNotification, limit: Int) async throws(StoreError) -> Acceptance {
        // Counted before it is committed, so that those committed together can not pass the limit together.
        guard queuedNotifications < limit else { return .queueFull }
        queuedNotifications += 1
        do throws(StoreError) {
            let queued = try await change { connection throws(SQLiteError) in try connection.accept(notification) }
            if let queued { return .queued(queued) }
        } catch {
            queuedNotifications -= 1
            throw error
        }
        queuedNotifications -= 1
        return .reachesNobody
    }

    package func waiting(in lane: Platform) async throws(StoreError) -> [QueuedNotification] {
        try read { connection throws(SQLiteError) in try connection.waiting(in: lane) }
    }

    package func match(
        _ notification: Int64, in lane: Platform, limit: Int, now: NodeTime
    ) async throws(StoreError) -> Match {
        let (match, isForgotten) = try await change(durable: false) { connection throws(SQLiteError) in
            let match = try connection.match(notification, in: lane, limit: limit, now: now)
            return (match, match?.isLast == true ? try connection.dropIfDone(notification) : false)
        }
        if isForgotten { queuedNotifications -= 1 }
        // It was matched to the end before.
        let nothing = NotificationContent(isSilent: true, groupId: "", message: nil)
        return match ?? Match(content: nothing, deliveries: [], isLast: true, isExpired: false)
    }

    package func takeDue(
        in lane: Platform, limit: Int, now: NodeTime
    ) async throws(StoreError) -> DueDeliveries {
        let (due, forgotten) = try await change(durable: false) { connection throws(SQLiteError) in
            try connection.takeDue(in: lane, limit: limit, now: now)
        }
        queuedNotifications -= forgotten
        return due
    }

    package func nextDue(in lane: Platform) async throws(StoreError) -> NodeTime? {
        try read { connection throws(SQLiteError) in try connection.nextDue(in: lane) }
    }

    package func record(_ results: [DeliveryResult]) async throws(StoreError) {
        queuedNotifications -= try await change(durable: false) { connection throws(SQLiteError) in
            try connection.record(results)
        }
    }

    package func statistics() async throws(StoreError) -> StoreStatistics {
        var statistics = try read { connection throws(SQLiteError) in try connection.statistics() }
        statistics.isInPlace = isInPlace
        return statistics
    }
}
