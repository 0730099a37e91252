import SQLiteStorage

/// The tables of the store and how they came to be: migration number n takes a file from version n - 1 to n.
///
/// A migration that was released never changes; what must change is a new one at the end.
enum Schema {
    /// Marks our files among SQLite databases ("APsh"; sqlite.org, "PRAGMA application_id").
    static let applicationId: Int32 = 0x4150_7368

    static let migrations = [first]

    // Ids are never used again (AUTOINCREMENT): a queued notification names topics and devices by id, and must not reach
    // somebody else's that came later.
    //
    // subscription: in topic order, so that matching a topic reads one run of accounts in ascending order.
    // notification: `topics` holds topic ids, 8 bytes each, big-endian. `space` groups the queue, see FairQueue.
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
}

extension StoreFile {
    /// The file of a node's store.
    static func node(path: String, maximumPages: Int? = nil) -> StoreFile {
        StoreFile(
            path: path, applicationId: Schema.applicationId, migrations: Schema.migrations, maximumPages: maximumPages
        )
    }
}
