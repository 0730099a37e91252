extension AccountSchema {
    // A version is the text of `ChangeOrder.versionId`; versions sort as bytes.
    //
    // chat: `is_known` once the chat was made; changes of one that was not may be here already. `counter` is the highest
    // Lamport time of its changes. The unread columns count what the flags of its messages say.
    // chat_change: every change as it was signed, in the order in which it came; also those that mean nothing here.
    // message: the join of a message's changes, see `MessageState`. Of a deleted one `body` holds nothing.
    // mention: whom messages mention.
    // early_edit, early_deletion: what came before its message.
    // reaction: the last word of each member for each emoji.
    static let chats = """
        CREATE TABLE chat (
            number INTEGER PRIMARY KEY,
            space BLOB NOT NULL,
            id BLOB NOT NULL,
            is_known INTEGER NOT NULL DEFAULT 0,
            name BLOB,
            name_version BLOB NOT NULL DEFAULT x'',
            counter INTEGER NOT NULL DEFAULT 0,
            notify_mode BLOB,
            unread INTEGER NOT NULL DEFAULT 0,
            unread_mentions INTEGER NOT NULL DEFAULT 0,
            unread_reactions INTEGER NOT NULL DEFAULT 0,
            UNIQUE (space, id)
        );
        CREATE TABLE chat_change (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            space BLOB NOT NULL,
            id BLOB NOT NULL UNIQUE,
            bytes BLOB NOT NULL
        );
        CREATE INDEX chat_change_of_space ON chat_change (space, number);
        CREATE TABLE message (
            number INTEGER PRIMARY KEY,
            chat INTEGER NOT NULL,
            id BLOB NOT NULL,
            version BLOB NOT NULL,
            creator BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            body BLOB NOT NULL,
            edit_version BLOB,
            edited_at INTEGER,
            edited_text BLOB,
            mentions BLOB NOT NULL,
            is_deleted INTEGER NOT NULL,
            is_unread INTEGER NOT NULL,
            is_unread_mention INTEGER NOT NULL,
            has_unread_reactions INTEGER NOT NULL,
            UNIQUE (chat, id)
        );
        CREATE UNIQUE INDEX message_shown ON message (chat, version) WHERE is_deleted = 0;
        CREATE INDEX message_unread ON message (chat, version) WHERE is_unread = 1;
        CREATE INDEX message_unread_mention ON message (chat, version) WHERE is_unread_mention = 1;
        CREATE INDEX message_unread_reactions ON message (chat, version) WHERE has_unread_reactions = 1;
        CREATE TABLE mention (
            chat INTEGER NOT NULL,
            identity BLOB NOT NULL,
            version BLOB NOT NULL,
            message INTEGER NOT NULL,
            PRIMARY KEY (chat, identity, version)
        ) WITHOUT ROWID;
        CREATE TABLE early_edit (
            chat INTEGER NOT NULL,
            message BLOB NOT NULL,
            author BLOB NOT NULL,
            version BLOB NOT NULL,
            edited_at INTEGER NOT NULL,
            text BLOB NOT NULL,
            PRIMARY KEY (chat, message, author)
        );
        CREATE TABLE early_deletion (
            chat INTEGER NOT NULL,
            message BLOB NOT NULL,
            author BLOB NOT NULL,
            PRIMARY KEY (chat, message, author)
        );
        CREATE TABLE reaction (
            chat INTEGER NOT NULL,
            message BLOB NOT NULL,
            identity BLOB NOT NULL,
            emoji BLOB NOT NULL,
            version BLOB NOT NULL,
            reacted_at INTEGER NOT NULL,
            is_on INTEGER NOT NULL,
            PRIMARY KEY (chat, message, identity, emoji)
        );
        CREATE INDEX reaction_shown ON reaction (chat, message, version) WHERE is_on = 1;

        """

    // message.edit_agent, early_edit.agent: the agent that an edit names, as JSON.
    // message_deleted: what is left of deleted messages, in order.
    static let editedAgents = """
        ALTER TABLE message ADD COLUMN edit_agent BLOB;
        ALTER TABLE early_edit ADD COLUMN agent BLOB;
        CREATE INDEX message_deleted ON message (chat, version) WHERE is_deleted = 1;

        """
}
