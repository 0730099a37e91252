import ProtoWire
import PushCrypto
import SQLiteStorage

extension SQLiteConnection {
    /// Topics looked at in one step.
    private static let page: Int64 = 4096

    /// Takes away, once, what versions before schema 5 let accounts subscribe to: topics that stand for other accounts.
    func dropForeignTopics() throws(SQLiteError) {
        let chore = try first("SELECT 1 FROM chore WHERE name = 'foreign_topics'") { $0.integer(0) }
        guard chore != nil else { return }
        try execute("BEGIN IMMEDIATE")
        var last: Int64 = 0
        while true {
            let topics = try all(
                "SELECT id, name FROM topic WHERE id > ? ORDER BY id LIMIT ?", .integer(last), .integer(Self.page)
            ) { (id: $0.integer(0), name: WireString(bytes: $0.bytes(1))) }
            guard let next = topics.last?.id else { break }
            last = next
            for topic in topics {
                guard let account = TopicKey(spaceKey: [], name: topic.name).account else { continue }
                let others = try all(
                    """
                    SELECT account.id FROM subscription JOIN account ON account.id = subscription.account
                    WHERE subscription.topic = ? AND account.identity <> ?
                    """,
                    .integer(topic.id), .bytes(account.rawRepresentation)
                ) { $0.integer(0) }
                for other in others {
                    try unsubscribe(other, from: topic.id)
                    try dropEmptyAccount(other)
                }
            }
        }
        try execute("DELETE FROM chore WHERE name = 'foreign_topics'; COMMIT")
    }
}
