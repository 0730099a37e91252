import ProtoWire
import PushAPI
import PushCrypto
import SQLiteStorage

// Accepted notifications.
extension SQLiteConnection {
    /// Queues a notification, unless it is there already or nobody is subscribed to any of its topics.
    ///
    /// - Parameters:
    ///   - key: by which it is known when it comes again.
    ///   - eviction: which remembered one makes room for that.
    ///   - mayGrow: whether there is room for it.
    func accept(
        _ notification: IncomingNotification, _ key: RepeatKey?, _ eviction: RepeatEviction, mayGrow: Bool = true
    ) throws(SQLiteError) -> AcceptedNotification {
        if let key, try isRemembered(key, now: notification.acceptedAt) { return .repeated }
        guard mayGrow else { throw .full }
        guard let queued = try queue(notification) else { return .reachesNobody }
        guard let key else { return .queued(queued, forgotten: []) }
        let forgotten = try remember(key, until: notification.expiresAt, now: notification.acceptedAt, eviction)
        return .queued(queued, forgotten: forgotten)
    }

    private func queue(_ notification: IncomingNotification) throws(SQLiteError) -> QueuedNotification? {
        var isWanted = false
        for key in notification.topics where !isWanted { isWanted = try topic(key) != nil }
        guard isWanted, let space = notification.topics.first?.spaceKey else { return nil }
        let content = notification.content
        try run(
            """
            INSERT INTO notification (space, sender, is_silent, group_id, has_message, key_id, payload, signature,
            expires_at, places, topics) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .bytes(space), .bytes(notification.sender.rawRepresentation), .flag(content.isSilent),
            .text(content.groupId), .flag(content.message != nil), .text(content.message?.keyId ?? ""),
            .bytes(content.message?.payload ?? []), .bytes(content.message?.signature ?? []),
            .time(notification.expiresAt), .integer(Int64(notification.places)),
            .bytes(notification.storedTopics)
        )
        let id = insertedId
        for lane in notification.lanes {
            try run(
                "INSERT INTO progress (notification, lane, cursor) VALUES (?, ?, 0)",
                .integer(id), .integer(Int64(lane.rawValue))
            )
        }
        return QueuedNotification(id: id, sender: SenderTag(notification.sender), space: space)
    }

    func waiting(in lane: Platform) throws(SQLiteError) -> [QueuedNotification] {
        try all(
            """
            SELECT notification.id, notification.sender, notification.space FROM progress
            JOIN notification ON notification.id = progress.notification
            WHERE progress.lane = ? ORDER BY notification.id
            """,
            .integer(Int64(lane.rawValue))
        ) { QueuedNotification(id: $0.integer(0), sender: SenderTag(key: $0.bytes(1)), space: $0.bytes(2)) }
    }

    /// A queued notification, `nil` when it is done.
    func stored(_ id: Int64) throws(SQLiteError) -> StoredNotification? {
        try first(
            """
            SELECT sender, is_silent, group_id, has_message, key_id, payload, signature, expires_at
            FROM notification WHERE id = ?
            """,
            .integer(id)
        ) { row in
            var message: NotifyRequest.Message?
            if row.integer(3) != 0 {
                message = NotifyRequest.Message(
                    keyId: WireString(bytes: row.bytes(4)), payload: row.bytes(5), signature: row.bytes(6)
                )
            }
            return StoredNotification(
                sender: row.bytes(0),
                content: NotificationContent(
                    isSilent: row.integer(1) != 0, groupId: WireString(bytes: row.bytes(2)), message: message
                ),
                expiresAt: NodeTime(milliseconds: row.integer(7))
            )
        }
    }

    /// The topics of a queued notification that anybody is subscribed to now.
    func wantedTopics(of notification: Int64) throws(SQLiteError) -> [Int64] {
        let packed = try first("SELECT topics FROM notification WHERE id = ?", .integer(notification)) { $0.bytes(0) }
        var wanted: [Int64] = []
        for key in QueuedTopics.decoded(packed ?? []) {
            if let id = try topic(key) { wanted.append(id) }
        }
        // Accepted by an earlier version.
        wanted += try all(
            """
            SELECT topic.id FROM notification_topic
            JOIN topic ON topic.space = notification_topic.space AND topic.name = notification_topic.name
            WHERE notification_topic.notification = ?
            """,
            .integer(notification)
        ) { $0.integer(0) }
        return wanted
    }

    /// Forgets a notification that is matched to the end in every lane and has no delivery left.
    ///
    /// - Returns: the places it had, when it is forgotten now.
    func dropIfDone(_ notification: Int64) throws(SQLiteError) -> FreedPlaces? {
        let freed = try first(
            """
            DELETE FROM notification WHERE id = ?1
            AND NOT EXISTS (SELECT 1 FROM progress WHERE notification = ?1)
            AND NOT EXISTS (SELECT 1 FROM delivery WHERE notification = ?1)
            RETURNING sender, places
            """,
            .integer(notification)
        ) { FreedPlaces(sender: SenderTag(key: $0.bytes(0)), count: Int($0.integer(1))) }
        guard let freed else { return nil }
        try run("DELETE FROM reached WHERE notification = ?", .integer(notification))
        try run("DELETE FROM notification_topic WHERE notification = ?", .integer(notification))
        return freed
    }

    /// Takes up the queue of an earlier process: tries that it had under way are due now.
    ///
    /// A notification for a platform that has no lane any more stays, in case the lane comes back, until it expires.
    ///
    /// Whatever the clocks of that process were, nothing lives or waits longer from now than it may.
    ///
    /// - Returns: who has how many places of the queue, and what had expired.
    func recoverQueue(
        _ recovery: QueueRecovery, _ record: TimeRecord
    ) throws(SQLiteError) -> (places: QueuePlaces, expired: [Platform: ExpiryCount]) {
        let now = record.time
        let lanes = recovery.lanes.map { String($0.rawValue) }.joined(separator: ", ")
        let stale = """
            lane NOT IN (\(lanes))
            AND notification IN (SELECT id FROM notification WHERE expires_at <= \(now.milliseconds))
            """
        let latestDue = now.advanced(by: recovery.longestWait)
        let latestEnd = now.advanced(by: recovery.lifetime)
        try execute(
            """
            BEGIN IMMEDIATE;
            UPDATE delivery SET due = 0 WHERE due IS NULL;
            UPDATE delivery SET due = \(latestDue.milliseconds) WHERE due > \(latestDue.milliseconds);
            UPDATE notification SET expires_at = \(latestEnd.milliseconds) WHERE expires_at > \(latestEnd.milliseconds);
            UPDATE device SET set_at = \(now.milliseconds) WHERE set_at > \(now.milliseconds);
            """
        )
        var expired: [Platform: ExpiryCount] = [:]
        let deliveries = try all(
            """
            SELECT lane, count(*) FROM delivery JOIN notification ON notification.id = delivery.notification
            WHERE expires_at <= ? GROUP BY lane
            """,
            .time(now)
        ) { (Platform(rawValue: Int32(clamping: $0.integer(0))), Int($0.integer(1))) }
        let notifications = try all(
            """
            SELECT lane, count(*) FROM progress JOIN notification ON notification.id = progress.notification
            WHERE expires_at <= ? GROUP BY lane
            """,
            .time(now)
        ) { (Platform(rawValue: Int32(clamping: $0.integer(0))), Int($0.integer(1))) }
        // What a lane has left it counts itself when it comes to it.
        for (lane, count) in deliveries where !recovery.lanes.contains(lane) {
            expired[lane, default: ExpiryCount()].deliveries = count
        }
        for (lane, count) in notifications where !recovery.lanes.contains(lane) {
            expired[lane, default: ExpiryCount()].notifications = count
        }
        try self.record(record)
        try execute(
            """
            DELETE FROM delivery WHERE \(stale);
            DELETE FROM progress WHERE \(stale);
            DELETE FROM notification WHERE id NOT IN (SELECT notification FROM progress)
            AND id NOT IN (SELECT notification FROM delivery);
            DELETE FROM reached WHERE notification NOT IN (SELECT id FROM notification);
            DELETE FROM notification_topic WHERE notification NOT IN (SELECT id FROM notification);
            COMMIT
            """
        )
        var places = QueuePlaces()
        let rows = try all("SELECT sender, sum(places) FROM notification GROUP BY sender") {
            (sender: SenderTag(key: $0.bytes(0)), count: Int($0.integer(1)))
        }
        for row in rows { places.add(row.count, for: row.sender) }
        return (places, expired)
    }

    func statistics() throws(SQLiteError) -> StoreStatistics {
        var statistics = StoreStatistics()
        func count(_ sql: StaticString) throws(SQLiteError) -> Int {
            Int(try first(sql) { $0.integer(0) } ?? 0)
        }
        statistics.accounts = try count("SELECT count(*) FROM account")
        statistics.devices = try count("SELECT count(*) FROM device")
        statistics.spaces = try count("SELECT count(*) FROM space")
        statistics.topics = try count("SELECT count(*) FROM topic")
        statistics.notifications = try count("SELECT count(*) FROM notification")
        statistics.deliveries = try count("SELECT count(*) FROM delivery")
        return statistics
    }
}

/// What accepting a notification came to inside a transaction.
enum AcceptedNotification: Sendable {
    /// It is queued, and remembered in the place of others' notifications.
    case queued(QueuedNotification, forgotten: [SenderTag])
    case repeated
    case reachesNobody
}

/// A notification as it is read back.
struct StoredNotification {
    /// The sender's public key, 32 bytes.
    let sender: [UInt8]
    let content: NotificationContent
    let expiresAt: NodeTime
}
