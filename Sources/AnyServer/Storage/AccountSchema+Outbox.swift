extension AccountSchema {
    // outbox: notifications on their way to the node, as they will be sent: sealed and signed. Ids are never used again.
    // `attempts` are the tries that one has had. `age` is how long it waited, in milliseconds, until the moment that
    // `uptime` (in milliseconds) and `boot` name, see `MachineMoment`.
    // outbox_size: one row, how much the outbox holds, so that nobody counts it for each message.
    // outbox_reading: the last reading of each chat, which the account's devices are told of once `due` (an uptime) has come.
    // outbox_loss: one row once a notification was lost: how many, why the last one, and when, as above.
    static let outbox = """
        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind INTEGER NOT NULL,
            request BLOB NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            age INTEGER NOT NULL DEFAULT 0,
            uptime INTEGER NOT NULL,
            boot BLOB
        );
        CREATE TABLE outbox_size (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            count INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        );
        INSERT INTO outbox_size (id, count, bytes) VALUES (1, 0, 0);
        CREATE TRIGGER outbox_grows AFTER INSERT ON outbox BEGIN
            UPDATE outbox_size SET count = count + 1, bytes = bytes + length(NEW.request);
        END;
        CREATE TRIGGER outbox_shrinks AFTER DELETE ON outbox BEGIN
            UPDATE outbox_size SET count = count - 1, bytes = bytes - length(OLD.request);
        END;
        CREATE TABLE outbox_reading (
            number INTEGER PRIMARY KEY,
            space BLOB NOT NULL,
            chat BLOB NOT NULL,
            message BLOB,
            read_at INTEGER NOT NULL,
            due INTEGER NOT NULL,
            boot BLOB,
            UNIQUE (space, chat)
        );
        CREATE TABLE outbox_loss (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            count INTEGER NOT NULL,
            reason BLOB NOT NULL,
            age INTEGER NOT NULL DEFAULT 0,
            uptime INTEGER NOT NULL,
            boot BLOB
        );

        """
}
