import PushCrypto
import SQLiteStorage

/// When the account's own settings were written.
struct SettingTable {
    /// How many settings of a space are remembered as taken away, the newest ones.
    static let goneLimit = 1024
    /// The bits of a time that count writes within one millisecond.
    private static let counterBits: Int64 = 16

    let connection: SQLiteConnection

    /// The time of a write of now, later than all before it and all that was seen.
    ///
    /// - Parameter now: milliseconds since 1970.
    func tick(at now: Int64) throws(SQLiteError) -> Int64 {
        let calendar = min(max(now, 0), SettingRegister.latestTime >> Self.counterBits) << Self.counterBits
        let last = try connection.first("SELECT settings_clock FROM owner") { $0.integer(0) } ?? 0
        let time = max(last + 1, calendar)
        try connection.run("UPDATE owner SET settings_clock = ?", .integer(time))
        return time
    }

    /// Notes the time of another device's write.
    func saw(_ time: Int64) throws(SQLiteError) {
        try connection.run("UPDATE owner SET settings_clock = ?1 WHERE settings_clock < ?1", .integer(time))
    }

    /// Notes a write of now.
    func write(
        _ value: SettingValue?, to key: String, chat: String? = nil, of spaceId: String, time: Int64
    ) throws(SQLiteError) {
        let tie = SettingRegister.randomTie()
        try save(SettingRegister(chat: chat, key: key, time: time, tie: tie, value: value), of: spaceId)
    }

    /// Keeps a write in the place of the one before.
    func save(_ register: SettingRegister, of spaceId: String) throws(SQLiteError) {
        try connection.run(
            "INSERT OR REPLACE INTO own_setting (space, chat, key, time, tie, value) VALUES (?, ?, ?, ?, ?, ?)",
            .text(spaceId), .text(register.chat ?? ""), .text(register.key), .integer(register.time),
            .bytes(register.tie), register.value.map { .bytes(JSONWriter.bytes($0.json)) } ?? .null
        )
        guard register.value == nil, register.chat == nil else { return }
        try connection.run(
            """
            DELETE FROM own_setting WHERE space = ?1 AND chat = x'' AND value IS NULL AND time < (
                SELECT time FROM own_setting WHERE space = ?1 AND chat = x'' AND value IS NULL
                ORDER BY time DESC LIMIT 1 OFFSET ?2)
            """,
            .text(spaceId), .integer(Int64(Self.goneLimit))
        )
    }

    /// One setting, `nil` when no time of it is kept.
    func register(_ key: String, chat: String?, of spaceId: String) throws -> SettingRegister? {
        try connection.first(
            "SELECT chat, key, time, tie, value FROM own_setting WHERE space = ? AND chat = ? AND key = ?",
            .text(spaceId), .text(chat ?? ""), .text(key), read: SettingColumns.init
        )?.register
    }

    /// The settings of a space and of its chats of which times are kept.
    func registers(of spaceId: String) throws -> [SettingRegister] {
        try connection.all(
            "SELECT chat, key, time, tie, value FROM own_setting WHERE space = ? ORDER BY chat, key",
            .text(spaceId), read: SettingColumns.init
        ).map { try $0.register }
    }

    /// Forgets the times of a space's chats.
    func dropChats(of spaceId: String) throws(SQLiteError) {
        try connection.run("DELETE FROM own_setting WHERE space = ? AND chat != x''", .text(spaceId))
    }

    /// Forgets the times of a space.
    func drop(_ spaceId: String) throws(SQLiteError) {
        try connection.run("DELETE FROM own_setting WHERE space = ?", .text(spaceId))
    }
}

private struct SettingColumns {
    let chat: String
    let key: String
    let time: Int64
    let tie: [UInt8]
    let value: [UInt8]?

    init(_ row: SQLiteConnection.Row) {
        chat = row.text(0)
        key = row.text(1)
        time = row.integer(2)
        tie = row.bytes(3)
        value = row.isNull(4) ? nil : row.bytes(4)
    }

    var register: SettingRegister {
        get throws {
            let read = try value.map { bytes in
                guard let value = (try? JSONParser.parse(bytes)).flatMap(SettingValue.init) else {
                    throw SpaceError.damaged("the setting \(key)")
                }
                return value
            }
            return SettingRegister(chat: chat.isEmpty ? nil : chat, key: key, time: time, tie: tie, value: read)
        }
    }
}

extension SettingRegister {
    /// What tells two writes of the same time apart.
    static func randomTie() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<tieByteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
