extension AccountSchema {
    // When each of the account's own settings was written, by which settings of its devices are joined (see
    // `SettingRegister`). The values in force are in `space.settings` and `chat.notify_mode`; what was written before
    // this table has no row, and counts as older than anything that has.
    //
    // own_setting: `chat` is empty for a setting of the space itself. `value` is JSON, and NULL once it was taken away.
    // owner.settings_clock: the highest time that was written or seen.
    static let settings = """
        CREATE TABLE own_setting (
            space BLOB NOT NULL,
            chat BLOB NOT NULL,
            key BLOB NOT NULL,
            time INTEGER NOT NULL,
            tie BLOB NOT NULL,
            value BLOB,
            PRIMARY KEY (space, chat, key)
        ) WITHOUT ROWID;
        ALTER TABLE owner ADD COLUMN settings_clock INTEGER NOT NULL DEFAULT 0;

        """
}
