import ProtoWire
import PushAPI
import SQLiteStorage

// Deliveries that were tried.
extension SQLiteConnection {
    /// Takes the due deliveries of some senders, see ``NodeStore/takeDue(in:limit:now:)``.
    ///
    /// - Parameters:
    ///   - senders: whose turn it is; each may have an equal part of `limit`.
    /// - Returns: the deliveries, what was forgotten because nothing is left of it, and when the next try of each of the
    ///   senders is due.
    func takeDue(
        in lane: Platform, of senders: [SenderTag], limit: Int, now: NodeTime
    ) throws(SQLiteError) -> (DueDeliveries, freed: [FreedPlaces], next: [SenderTag: NodeTime]) {
        var due = DueDeliveries(deliveries: [], expired: 0, withoutDevice: 0)
        var freed: [FreedPlaces] = []
        var next: [SenderTag: NodeTime] = [:]
        for sender in senders {
            freed += try takeDue(in: lane, of: sender, limit: max(limit / senders.count, 1), now: now, into: &due)
            next[sender] = try nextDue(in: lane, of: sender)
        }
        return (due, freed, next)
    }

    private func takeDue(
        in lane: Platform, of sender: SenderTag, limit: Int, now: NodeTime, into due: inout DueDeliveries
    ) throws(SQLiteError) -> [FreedPlaces] {
        let rows = try all(
            """
            SELECT delivery.id, delivery.notification, delivery.attempts, device.token, identity, peer FROM delivery
            LEFT JOIN device ON device.id = delivery.device AND device.platform = delivery.lane
            LEFT JOIN account ON account.id = device.account
            WHERE delivery.lane = ? AND delivery.sender = ? AND delivery.due <= ? ORDER BY delivery.due LIMIT ?
            """,
            .integer(Int64(lane.rawValue)), .integer(sender.rawValue), .time(now), .integer(Int64(limit))
        ) { row in
            DueRow(
                id: row.integer(0), notification: row.integer(1), attempts: Int(row.integer(2)),
                token: row.isNull(3) ? nil : WireString(bytes: row.bytes(3)),
                key: row.isNull(4) ? nil : DeviceKey(account: row.bytes(4), peer: row.bytes(5))
            )
        }
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
                expiresAt: notification.expiresAt, device: row.key
            )
            due.deliveries.append((notification.content, delivery))
        }
        return try dropDone(dropped)
    }

    private func nextDue(in lane: Platform, of sender: SenderTag) throws(SQLiteError) -> NodeTime? {
        try first(
            "SELECT due FROM delivery WHERE lane = ? AND sender = ? AND due IS NOT NULL ORDER BY due LIMIT 1",
            .integer(Int64(lane.rawValue)), .integer(sender.rawValue)
        ) { NodeTime(milliseconds: $0.integer(0)) }
    }

    /// The senders that have tries to be made again, by lane.
    func dueSenders() throws(SQLiteError) -> [Int64: DueSenders] {
        let rows = try all(
            "SELECT lane, sender, min(due) FROM delivery WHERE due IS NOT NULL GROUP BY lane, sender"
        ) {
            (
                lane: $0.integer(0), sender: SenderTag(rawValue: $0.integer(1)),
                due: NodeTime(milliseconds: $0.integer(2))
            )
        }
        var senders: [Int64: DueSenders] = [:]
        for row in rows { senders[row.lane, default: DueSenders()].add(row.sender, at: row.due) }
        return senders
    }

    /// See ``NodeStore/record(_:)``.
    ///
    /// - Returns: what is forgotten because nothing is left of it, and whose tries are to be made again.
    func record(_ results: [DeliveryResult]) throws(SQLiteError) -> (freed: [FreedPlaces], retries: [Retry]) {
        var ended: Set<Int64> = []
        var retries: [Retry] = []
        for result in results {
            let id = SQLiteValue.integer(result.delivery.id)
            if case .retry(let time) = result.verdict {
                let sender = try first(
                    "UPDATE delivery SET attempts = attempts + 1, due = ? WHERE id = ? RETURNING sender", .time(time),
                    id
                ) { SenderTag(rawValue: $0.integer(0)) }
                if let sender { retries.append(Retry(lane: result.delivery.platform, sender: sender, due: time)) }
                continue
            }
            if case .tokenGone(let time) = result.verdict {
                try dropToken(result.delivery.token, platform: result.delivery.platform, setBefore: time)
            }
            try run("DELETE FROM delivery WHERE id = ?", id)
            ended.insert(result.delivery.notification)
        }
        return (try dropDone(ended), retries)
    }

    private func dropDone(_ notifications: Set<Int64>) throws(SQLiteError) -> [FreedPlaces] {
        var freed: [FreedPlaces] = []
        for notification in notifications {
            if let places = try dropIfDone(notification) { freed.append(places) }
        }
        return freed
    }
}

/// A try of a delivery that is to be made again.
struct Retry: Sendable {
    let lane: Platform
    let sender: SenderTag
    let due: NodeTime
}

private struct DueRow {
    let id: Int64
    let notification: Int64
    let attempts: Int
    let token: WireString?
    let key: DeviceKey?
}
