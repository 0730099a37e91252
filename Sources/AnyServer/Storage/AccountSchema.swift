import SQLiteStorage

/// The tables of an account's store and how they came to be (see `StoreFile`).
enum AccountSchema {
    /// Marks our files among SQLite databases ("APac"; sqlite.org, "PRAGMA application_id").
    static let applicationId: Int32 = 0x4150_6163

    static let migrations = [account + spaces + chats, spaceLacksKey, outbox, settings, editedAgents]

    // Texts are kept as blobs of UTF-8.
    //
    // owner: one row. `identity` is the account that the file belongs to.
    private static let account = """
        CREATE TABLE owner (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            identity BLOB NOT NULL,
            name BLOB
        );

        """

    // Whether the account is a member that was not given the space's current key. Until a log says more, none is.
    private static let spaceLacksKey = "ALTER TABLE space ADD COLUMN lacks_key INTEGER NOT NULL DEFAULT 0;"

    // space: `peer` is the other account of a space of two. `push_keys` are the keys of the row's push object, sealed
    // with a key of the account: a tombstone keeps them when the records are gone. `record_count` is the length of
    // the log.
    // acl_record: the raw records, the root at position 0.
    // details_change: the changes that still decide a field of the details, and no others.
    private static let spaces = """
        CREATE TABLE space (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id BLOB NOT NULL UNIQUE,
            type BLOB NOT NULL,
            header BLOB NOT NULL,
            author BLOB,
            peer BLOB,
            status BLOB NOT NULL,
            is_tombstone INTEGER NOT NULL,
            own_role INTEGER NOT NULL,
            is_derived INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            name BLOB,
            description BLOB,
            icon BLOB,
            settings BLOB NOT NULL,
            push_keys BLOB,
            record_count INTEGER NOT NULL
        );
        CREATE TABLE acl_record (
            space BLOB NOT NULL,
            position INTEGER NOT NULL,
            id BLOB NOT NULL,
            payload BLOB NOT NULL,
            PRIMARY KEY (space, position)
        );
        CREATE TABLE details_change (
            space BLOB NOT NULL,
            id BLOB NOT NULL,
            counter INTEGER NOT NULL,
            change BLOB NOT NULL,
            PRIMARY KEY (space, id)
        );

        """
}

extension StoreFile {
    /// The file of an account's store, `sdk/account.db` in its directory.
    static func account(in directory: AccountDirectory) -> StoreFile {
        StoreFile(
            path: directory.storePath, applicationId: AccountSchema.applicationId,
            migrations: AccountSchema.migrations
        )
    }
}
