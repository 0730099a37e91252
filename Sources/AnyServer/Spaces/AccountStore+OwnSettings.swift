import PushCrypto
import PushNode
import SQLiteStorage

// The account's own settings: what it notifies of, and whatever else it has set for a space. They travel between its
// devices in exports.
extension AccountStore {
    /// The contents of an export's lines with the account's own settings of a space and its chats.
    func ownSettings(of space: StoredSpace, _ connection: SQLiteConnection) throws -> [[UInt8]] {
        var registers = try SettingTable(connection: connection).registers(of: space.id)
        let timed = Set(registers.map { Name(chat: $0.chat, key: $0.key) })
        // What was set before times were kept.
        func addOld(_ value: SettingValue, _ key: String, chat: String?) {
            guard !timed.contains(Name(chat: chat, key: key)) else { return }
            registers.append(SettingRegister(chat: chat, key: key, time: 0, tie: [], value: value))
        }
        for (key, value) in space.info.settings.sorted(by: { $0.key < $1.key }) { addOld(value, key, chat: nil) }
        for chat in try ChatTable(connection: connection).chats(of: space.id) {
            guard let mode = chat.notifyMode else { continue }
            addOld(.string(mode.rawValue), SettingsPatch.notifyModeKey, chat: chat.id)
        }
        return try OwnSettings.sealed(registers, of: space.id, by: settingsKey)
    }

    private struct Name: Hashable {
        let chat: String?
        let key: String
    }

    /// Takes settings of another device of the account: of each, the later write counts.
    ///
    /// - Returns: how many settings changed.
    func join(_ settings: OwnSettings, to info: inout SpaceInfo, _ connection: SQLiteConnection) throws -> Int {
        let table = SettingTable(connection: connection)
        let chats = ChatTable(connection: connection)
        var changed = 0
        for register in settings.registers {
            let chat = try register.chat.map { try chats.chat($0, in: info.id) } ?? nil
            let current: SettingValue? =
                if register.chat == nil { info.settings[register.key] } else {
                    chat?.notifyMode.map { .string($0.rawValue) }
                }
            let here =
                try table.register(register.key, chat: register.chat, of: info.id)
                ?? SettingRegister(chat: register.chat, key: register.key, time: 0, tie: [], value: current)
            guard here.isBefore(register) else { continue }
            try table.saw(register.time)
            if register.time > 0 { try table.save(register, of: info.id) }
            guard register.value != current else { continue }
            changed += 1
            guard let chatId = register.chat else {
                info.settings[register.key] = register.value
                continue
            }
            let mode: NotifyMode? =
                if case .string(let text) = register.value { NotifyMode(rawValue: text) } else { nil }
            try chats.setNotifyMode(mode?.rawValue, of: try chats.number(of: chatId, in: info.id))
            tell(.chatModeWritten(spaceId: info.id, chatId: chatId))
            tell(.chatChanged(spaceId: info.id, chatId: chatId))
        }
        return changed
    }
}
