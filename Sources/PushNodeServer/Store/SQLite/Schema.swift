import SQLiteStorage

/// The tables of the store and how they came to be: migration number n takes a file from version n - 1 to n.
///
/// A migration that was released never changes; what must change is a new one at the end.
enum Schema {
    /// Marks our files among SQLite databases ("APsh"; sqlite.org, "PRAGMA application_id").
    static let applicationId: Int32 = 0x4150_7368

    static let migrations = [first, topicsByName, clocks, owner, sharesOfSenders, repeats, topicsInOne]

    // Ids are never used again (AUTOINCREMENT): a queued delivery names its device by id, and must not reach somebody
    // else's that came later.
    //
    // subscription: in topic order, so that matching a topic reads one run of accounts in ascending order.
    // notification: `topics` holds topic ids, 8 bytes each, big-endian; gone since version 2. `space` groups the queue,
    // see FairQueue.
    // progress: one row for each lane that has not matched all of a notification's subscribers; accounts up to
    // `cursor` are done.
    // delivery: one row for each device between being matched and its outcome. `due` is null while a try is under way.
    // reached: the tokens that a notification has been queued for, kept only for tokens that several accounts share.
    private static let first = """
        CREATE TABLE account (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identity BLOB NOT NULL UNIQUE
        );
        CREATE TABLE device (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL,
            peer BLOB NOT NULL,
            platform INTEGER NOT NULL,
            token BLOB NOT NULL,
            set_at INTEGER NOT NULL,
            UNIQUE (account, peer)
        );
        CREATE UNIQUE INDEX device_by_token ON device (token, platform, account);
        CREATE TABLE space (
            key BLOB PRIMARY KEY,
            author BLOB NOT NULL,
            created_at INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX space_by_author ON space (author);
        CREATE TABLE topic (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            space BLOB NOT NULL,
            name BLOB NOT NULL,
            UNIQUE (space, name)
        );
        CREATE TABLE subscription (
            topic INTEGER NOT NULL,
            account INTEGER NOT NULL,
            position INTEGER NOT NULL,
            PRIMARY KEY (topic, account)
        ) WITHOUT ROWID;
        CREATE INDEX subscription_by_account ON subscription (account, position, topic);
        CREATE TABLE notification (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            space BLOB NOT NULL,
            topics BLOB NOT NULL,
            sender BLOB NOT NULL,
            is_silent INTEGER NOT NULL,
            group_id BLOB NOT NULL,
            has_message INTEGER NOT NULL,
            key_id BLOB NOT NULL,
            payload BLOB NOT NULL,
            signature BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        );
        CREATE TABLE progress (
            notification INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            cursor INTEGER NOT NULL,
            PRIMARY KEY (notification, lane)
        ) WITHOUT ROWID;
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            notification INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            device INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due INTEGER
        );
        CREATE INDEX delivery_by_notification ON delivery (notification);
        CREATE INDEX delivery_by_due ON delivery (lane, due) WHERE due IS NOT NULL;
        CREATE TABLE reached (
            notification INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            token BLOB NOT NULL,
            PRIMARY KEY (notification, lane, token)
        ) WITHOUT ROWID;
        """

    // notification_topic: the topics of a notification, whether anybody is subscribed to them or not. Who changes from
    // one of them to another while the notification waits still gets it, also when the other was unknown before.
    private static let topicsByName = """
        CREATE TABLE notification_topic (
            notification INTEGER NOT NULL,
            space BLOB NOT NULL,
            name BLOB NOT NULL,
            PRIMARY KEY (notification, space, name)
        ) WITHOUT ROWID;
        WITH RECURSIVE rest (notification, topics) AS (
            SELECT id, topics FROM notification
            UNION ALL
            SELECT notification, substr(topics, 9) FROM rest WHERE length(topics) > 8
        ),
        named (notification, digits) AS (SELECT notification, hex(substr(topics, 1, 8)) FROM rest)
        INSERT OR IGNORE INTO notification_topic
        SELECT named.notification, topic.space, topic.name FROM named JOIN topic ON topic.id = \(number(of: "digits"));
        ALTER TABLE notification DROP COLUMN topics;
        """

    // clocks: one row, what the node's clocks said when it was last written, see TimeRecord; times in milliseconds. Every
    // other time but `created_at`, which is the calendar's, is the node's own.
    private static let clocks = """
        CREATE TABLE clocks (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            time INTEGER NOT NULL,
            calendar INTEGER NOT NULL,
            uptime INTEGER NOT NULL,
            boot BLOB
        );
        """

    // owner: one row, the peer id of the node that the store belongs to. A store of an earlier version gets the first that
    // opens it.
    private static let owner = """
        CREATE TABLE owner (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            peer BLOB NOT NULL
        );
        """

    // notification: `places` says what it takes of the queue, see QueuePlaces. A notification from before counts as one.
    // delivery: `sender` is a SenderTag, so that the tries of a sender are found by when they are due.
    private static let sharesOfSenders = """
        ALTER TABLE notification ADD COLUMN places INTEGER NOT NULL DEFAULT 1;
        ALTER TABLE delivery ADD COLUMN sender INTEGER NOT NULL DEFAULT 0;
        UPDATE delivery SET sender = (
            SELECT \(number(of: "digits", count: 15)) FROM (
                SELECT hex(substr(notification.sender, 1, 8)) AS digits FROM notification WHERE id = delivery.notification
            )
        ) WHERE notification IN (SELECT id FROM notification);
        DROP INDEX delivery_by_due;
        CREATE INDEX delivery_by_sender ON delivery (lane, sender, due) WHERE due IS NOT NULL;
        """

    // chore: what SQL cannot do when a file is brought up to date, see ``SQLiteConnection/dropForeignTopics()``.
    // accepted: one row for each notification with a message, from its acceptance until its time is over, so that it is
    // brought once however often it is sent; see RepeatKey.
    private static let repeats = """
        CREATE TABLE accepted (
            id INTEGER PRIMARY KEY,
            sender INTEGER NOT NULL,
            digest BLOB NOT NULL UNIQUE,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX accepted_by_sender ON accepted (sender, id);
        CREATE TABLE chore (name TEXT PRIMARY KEY) WITHOUT ROWID;
        INSERT INTO chore (name) VALUES ('foreign_topics');
        """

    // notification: `topics` holds its topics by name, see ``QueuedTopics``. notification_topic has those of notifications
    // that an earlier version accepted, until they are brought or their time is over.
    private static let topicsInOne = """
        ALTER TABLE notification ADD COLUMN topics BLOB NOT NULL DEFAULT x'';
        """

    /// SQL for the number whose first hexadecimal digits a column holds.
    private static func number(of column: String, count: Int = 16) -> String {
        (1...count).reduce("0") { "(\($0)) * 16 + instr('0123456789ABCDEF', substr(\(column), \($1), 1)) - 1" }
    }
}

extension StoreFile {
    /// The file of a node's store.
    static func node(path: String, maximumPages: Int? = nil) -> StoreFile {
        StoreFile(
            path: path, applicationId: Schema.applicationId, migrations: Schema.migrations, maximumPages: maximumPages
        )
    }
}
