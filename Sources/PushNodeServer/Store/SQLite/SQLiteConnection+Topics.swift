import ProtoWire
import PushCrypto
import SQLiteStorage

// Topics and who is subscribed to them.
extension SQLiteConnection {
    /// The number of a topic, `nil` when nobody is subscribed to it.
    func topic(_ key: TopicKey) throws(SQLiteError) -> Int64? {
        try first("SELECT id FROM topic WHERE space = ? AND name = ?", .bytes(key.spaceKey), .text(key.name)) {
            $0.integer(0)
        }
    }

    func topics(of identity: PublicKey) throws(SQLiteError) -> [TopicKey] {
        try all(
            """
            SELECT topic.space, topic.name FROM account
            JOIN subscription ON subscription.account = account.id JOIN topic ON topic.id = subscription.topic
            WHERE account.identity = ? ORDER BY subscription.position
            """,
            .bytes(identity.rawRepresentation)
        ) { TopicKey(spaceKey: $0.bytes(0), name: WireString(bytes: $0.bytes(1))) }
    }

    /// See ``NodeStore/replaceTopics(of:by:permit:)``.
    ///
    /// - Parameter mayGrow: whether there is room for further topics.
    func replaceTopics(
        of identity: PublicKey, by topics: [TopicKey], permit: TopicPermit, mayGrow: Bool = true
    ) throws(SQLiteError) -> Bool {
        let known = try account(identity)
        let current: [Int64: Int64] = if let known { try subscriptions(of: known) } else { [:] }
        var wanted: [TopicKey: Int64] = [:]
        for key in topics where wanted[key] == nil { wanted[key] = Int64(wanted.count) }
        let change = try TopicChange(self, from: current, to: wanted)
        guard mayGrow || change.added.isEmpty else { throw .full }
        guard permit(change.count) else { return false }
        // Most calls repeat what is there: then nothing is written.
        guard !change.isEmpty else { return true }
        let account: Int64 = if let known { known } else { try makeAccount(identity) }
        for topic in change.removed { try unsubscribe(account, from: topic) }
        for (topic, position) in change.moved { try subscribe(account, to: topic, at: position) }
        for (key, position) in change.added { try subscribe(account, to: makeTopic(key), at: position) }
        if wanted.isEmpty { try dropEmptyAccount(account) }
        return true
    }

    /// See ``NodeStore/removeTopics(_:of:permit:)``.
    func removeTopics(_ topics: [TopicKey], of identity: PublicKey, permit: TopicPermit) throws(SQLiteError) -> Bool {
        guard let account = try account(identity) else { return true }
        let current = try subscriptions(of: account)
        var removed: Set<Int64> = []
        for key in topics {
            if let topic = try topic(key), current[topic] != nil { removed.insert(topic) }
        }
        guard permit(removed.count) else { return false }
        for topic in removed { try unsubscribe(account, from: topic) }
        try dropEmptyAccount(account)
        return true
    }

    private func subscribe(_ account: Int64, to topic: Int64, at position: Int64) throws(SQLiteError) {
        try run(
            """
            INSERT INTO subscription (topic, account, position) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET position = excluded.position
            """,
            .integer(topic), .integer(account), .integer(position)
        )
    }

    private func makeTopic(_ key: TopicKey) throws(SQLiteError) -> Int64 {
        if let known = try topic(key) { return known }
        try run("INSERT INTO topic (space, name) VALUES (?, ?)", .bytes(key.spaceKey), .text(key.name))
        return insertedId
    }

    /// The topics of an account and their positions.
    private func subscriptions(of account: Int64) throws(SQLiteError) -> [Int64: Int64] {
        let rows = try all("SELECT topic, position FROM subscription WHERE account = ?", .integer(account)) {
            ($0.integer(0), $0.integer(1))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    func unsubscribe(_ account: Int64, from topic: Int64) throws(SQLiteError) {
        try run("DELETE FROM subscription WHERE topic = ? AND account = ?", .integer(topic), .integer(account))
        // A topic lives as long as somebody wants it, or peers could fill the store with names.
        try run(
            "DELETE FROM topic WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM subscription WHERE topic = ?1)",
            .integer(topic)
        )
    }
}

/// What must be written for an account to have other topics than it has.
private struct TopicChange {
    private(set) var added: [(key: TopicKey, position: Int64)] = []
    private(set) var moved: [(topic: Int64, position: Int64)] = []
    private(set) var removed: [Int64] = []

    /// - Parameters:
    ///   - current: the topics it has, and their positions.
    ///   - wanted: the topics it is to have, and their positions.
    init(
        _ connection: SQLiteConnection, from current: [Int64: Int64], to wanted: [TopicKey: Int64]
    ) throws(SQLiteError) {
        var left = current
        for (key, position) in wanted {
            guard let topic = try connection.topic(key), let old = left.removeValue(forKey: topic) else {
                added.append((key, position))
                continue
            }
            if old != position { moved.append((topic, position)) }
        }
        // In the order that they were asked for, so that topics get their numbers in it.
        added.sort { $0.position < $1.position }
        removed = Array(left.keys)
    }

    var isEmpty: Bool { added.isEmpty && moved.isEmpty && removed.isEmpty }

    /// How much it is. A topic that comes first moves all others, and that is one change to whoever asks for it.
    var count: Int { added.count + removed.count + (moved.count + 7) / 8 }
}
