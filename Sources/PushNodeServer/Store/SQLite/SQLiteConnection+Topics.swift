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

    func replaceTopics(of identity: PublicKey, by topics: [TopicKey]) throws(SQLiteError) {
        let account = try makeAccount(identity)
        let current = try subscriptions(of: account)
        var wanted: [Int64: Int64] = [:]
        var position: Int64 = 0
        for key in topics {
            let topic = try makeTopic(key)
            guard wanted[topic] == nil else { continue }
            wanted[topic] = position
            position += 1
        }
        for topic in current.keys where wanted[topic] == nil {
            try unsubscribe(account, from: topic)
        }
        // Most calls repeat what is there: then nothing is written.
        for (topic, position) in wanted where current[topic] != position {
            try run(
                """
                INSERT INTO subscription (topic, account, position) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET position = excluded.position
                """,
                .integer(topic), .integer(account), .integer(position)
            )
        }
        if wanted.isEmpty { try dropEmptyAccount(account) }
    }

    func removeTopics(_ topics: [TopicKey], of identity: PublicKey) throws(SQLiteError) {
        guard let account = try account(identity) else { return }
        for key in topics {
            guard let topic = try topic(key) else { continue }
            try unsubscribe(account, from: topic)
        }
        try dropEmptyAccount(account)
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

    private func unsubscribe(_ account: Int64, from topic: Int64) throws(SQLiteError) {
        try run("DELETE FROM subscription WHERE topic = ? AND account = ?", .integer(topic), .integer(account))
        // A topic lives as long as somebody wants it, or peers could fill the store with names.
        try run(
            "DELETE FROM topic WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM subscription WHERE topic = ?1)",
            .integer(topic)
        )
    }
}
