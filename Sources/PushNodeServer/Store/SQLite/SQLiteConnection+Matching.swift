import ProtoWire
import PushAPI
import PushCrypto
import SQLiteStorage

// From a notification to the devices that get it.
extension SQLiteConnection {
    /// See ``NodeStore/match(_:in:limit:now:)``.
    func match(_ id: Int64, in lane: Platform, limit: Int, now: NodeTime) throws(SQLiteError) -> Match? {
        let laneValue = SQLiteValue.integer(Int64(lane.rawValue))
        let cursor = try first(
            "SELECT cursor FROM progress WHERE notification = ? AND lane = ?", .integer(id), laneValue
        ) { $0.integer(0) }
        guard let cursor, let notification = try stored(id) else { return nil }
        var match = Match(
            content: notification.content, deliveries: [], isLast: true, isExpired: now >= notification.expiresAt
        )
        var last = cursor
        if !match.isExpired {
            var subscribers = try Subscribers(self, of: id, notification, after: cursor, limit: limit)
            match.isLast = false
            defer { match.cost = subscribers.cost + match.deliveries.count }
            while match.deliveries.count < limit {
                // Accounts without a device yield nothing but cost a look: they must not hold the connection for long.
                guard subscribers.seen < 4 * limit else { break }
                guard let account = try subscribers.next() else {
                    match.isLast = true
                    break
                }
                try addDevices(of: account, to: &match, id, lane, notification)
                last = account
            }
        }
        if match.isLast {
            try run("DELETE FROM progress WHERE notification = ? AND lane = ?", .integer(id), laneValue)
        } else {
            try run(
                "UPDATE progress SET cursor = ? WHERE notification = ? AND lane = ?",
                .integer(last), .integer(id), laneValue
            )
        }
        return match
    }

    private func addDevices(
        of account: Int64, to match: inout Match, _ id: Int64, _ lane: Platform, _ notification: StoredNotification
    ) throws(SQLiteError) {
        let devices = try all(
            """
            SELECT device.id, token, identity, peer FROM device JOIN account ON account.id = device.account
            WHERE account = ? AND platform = ?
            """,
            .integer(account), .integer(Int64(lane.rawValue))
        ) { row in
            (
                id: row.integer(0), token: WireString(bytes: row.bytes(1)),
                key: DeviceKey(account: row.bytes(2), peer: row.bytes(3))
            )
        }
        for device in devices {
            guard try isFirst(device.token, of: account, for: id, in: lane) else { continue }
            try run(
                "INSERT INTO delivery (notification, lane, device, attempts, sender) VALUES (?, ?, ?, 0, ?)",
                .integer(id), .integer(Int64(lane.rawValue)), .integer(device.id),
                .integer(SenderTag(key: notification.sender).rawValue)
            )
            match.deliveries.append(
                Delivery(
                    id: insertedId, notification: id, platform: lane, token: device.token, attempts: 0,
                    expiresAt: notification.expiresAt, device: device.key
                )
            )
        }
    }

    /// Whether a token has not had the notification yet, by way of another account on the same phone.
    private func isFirst(
        _ token: WireString, of account: Int64, for notification: Int64, in lane: Platform
    ) throws(SQLiteError) -> Bool {
        let lane = SQLiteValue.integer(Int64(lane.rawValue))
        let other = try first(
            "SELECT 1 FROM device WHERE token = ? AND platform = ? AND account <> ? LIMIT 1",
            .text(token), lane, .integer(account)
        ) { $0.integer(0) }
        guard other != nil else { return true }
        try run(
            "INSERT OR IGNORE INTO reached (notification, lane, token) VALUES (?, ?, ?)",
            .integer(notification), lane, .text(token)
        )
        return changes > 0
    }
}

/// The accounts that a notification goes to, in ascending order (protocol.md §4): a loud one to all subscribers but the
/// sender, a silent one to the sender alone.
private struct Subscribers {
    private enum Rule {
        case everyone(but: Int64?)
        case only([Int64])
    }

    private var merge: SubscriberMerge
    private var rule: Rule
    /// How many subscribers were looked at.
    private(set) var seen = 0
    private let topicCount: Int

    init(
        _ connection: SQLiteConnection, of id: Int64, _ notification: StoredNotification, after cursor: Int64,
        limit: Int
    ) throws(SQLiteError) {
        let topics = try connection.wantedTopics(of: id)
        topicCount = topics.count
        merge = SubscriberMerge(connection, topics: topics, after: cursor, limit: limit)
        let sender = try connection.first("SELECT id FROM account WHERE identity = ?", .bytes(notification.sender)) {
            $0.integer(0)
        }
        guard notification.content.isSilent else {
            rule = .everyone(but: sender)
            return
        }
        rule = .only([])
        guard let sender, sender > cursor else { return }
        for topic in topics {
            let isSubscribed = try connection.first(
                "SELECT 1 FROM subscription WHERE topic = ? AND account = ?", .integer(topic), .integer(sender)
            ) { $0.integer(0) }
            if isSubscribed != nil { rule = .only([sender]) }
        }
    }

    /// What the look took, reckoned in devices: topics are looked up, and each subscriber is the least of all topics'.
    var cost: Int { 1 + (topicCount + seen) / 4 + topicCount * seen / 1024 }

    mutating func next() throws(SQLiteError) -> Int64? {
        switch rule {
        case .only(let accounts):
            rule = .only([])
            return accounts.first
        case .everyone(let sender):
            while let account = try merge.next() {
                seen += 1
                if account != sender { return account }
            }
            return nil
        }
    }
}
