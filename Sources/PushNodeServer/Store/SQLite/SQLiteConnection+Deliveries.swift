import ProtoWire
import PushNode
import SQLiteStorage

// Deliveries that were tried.
extension SQLiteConnection {
    /// See ``NodeStore/takeDue(in:limit:now:)``.
    ///
    /// - Returns: the deliveries, and how many notifications are forgotten because nothing is left of them.
    func takeDue(in lane: Platform, limit: Int, now: NodeTime) throws(SQLiteError) -> (DueDeliveries, forgotten: Int) {
        let rows = try all(
            """
            SELECT delivery.id, delivery.notification, delivery.attempts, device.token FROM delivery
            LEFT JOIN device ON device.id = delivery.device AND device.platform = delivery.lane
            WHERE delivery.lane = ? AND delivery.due <= ? ORDER BY delivery.due LIMIT ?
            """,
            .integer(Int64(lane.rawValue)), .time(now), .integer(Int64(limit))
        ) { row in
            DueRow(
                id: row.integer(0), notification: row.integer(1), attempts: Int(row.integer(2)),
                token: row.isNull(3) ? nil : WireString(bytes: row.bytes(3))
            )
        }
        var due = DueDeliveries(deliveries: [], expired: 0, withoutDevice: 0)
        var notifications: [Int64: StoredNotification] = [:]
        var dropped: Set<Int64> = []
        for row in rows {
            if notifications[row.notification] == nil { notifications[row.notification] = try stored(row.notification) }
            let notification = notifications[row.notification]
            guard let notification, now < notification.expiresAt, let token = row.token else {
                if row.token == nil { due.withoutDevice += 1 } else { due.expired += 1 }
                try run("DELETE FROM delivery WHERE id = ?", .integer(row.id))
                dropped.insert(row.notification)
                continue
            }
            try run("UPDATE delivery SET due = NULL WHERE id = ?", .integer(row.id))
            let delivery = Delivery(
                id: row.id, notification: row.notification, platform: lane, token: token, attempts: row.attempts,
                expiresAt: notification.expiresAt
            )
            due.deliveries.append((notification.content, delivery))
        }
        return (due, try dropDone(dropped))
    }

    func nextDue(in lane: Platform) throws(SQLiteError) -> NodeTime? {
        try first(
            "SELECT due FROM delivery WHERE lane = ? AND due IS NOT NULL ORDER BY due LIMIT 1",
            .integer(Int64(lane.rawValue))
        ) { NodeTime(milliseconds: $0.integer(0)) }
    }

    /// See ``NodeStore/record(_:)``.
    ///
    /// - Returns: how many notifications are forgotten because nothing is left of them.
    func record(_ results: [DeliveryResult]) throws(SQLiteError) -> Int {
        var ended: Set<Int64> = []
        for result in results {
            let id = SQLiteValue.integer(result.delivery.id)
            if case .retry(let time) = result.verdict {
                try run("UPDATE delivery SET attempts = attempts + 1, due = ? WHERE id = ?", .time(time), id)
                continue
            }
            if case .tokenGone(let time) = result.verdict {
                try dropToken(result.delivery.token, platform: result.delivery.platform, setBefore: time)
            }
            try run("DELETE FROM delivery WHERE id = ?", id)
            ended.insert(result.delivery.notification)
        }
        return try dropDone(ended)
    }

    private func dropDone(_ notifications: Set<Int64>) throws(SQLiteError) -> Int {
        var count = 0
        for notification in notifications where try dropIfDone(notification) { count += 1 }
        return count
    }
}

private struct DueRow {
    let id: Int64
    let notification: Int64
    let attempts: Int
    let token: WireString?
}
