import PushCrypto
import PushNode
import SQLiteStorage
import Testing

@testable import AnyServer

/// The account's own settings on two of its devices, between which exports travel.
@Suite struct OwnSettingsTests {
    private let phone: TestAccount
    private let laptop: TestAccount
    private let id: String

    init() async throws {
        phone = try await TestAccount()
        let keys = AccountKeys(
            accountKey: phone.keys.accountKey, masterKey: phone.keys.masterKey, deviceKey: SigningKey())
        laptop = try await TestAccount(keys)
        id = try await phone.store.createSpace(name: "Garden").id
    }

    private func mode(_ account: TestAccount) async throws -> NotifyMode? {
        try await account.store.space(id).notifyMode
    }

    private func chatMode(_ chat: String, _ account: TestAccount) async throws -> NotifyMode? {
        try await account.store.chat(chat, of: id)?.notifyMode
    }

    @Test func whatIsMutedIsMutedOnADeviceThatImportsTheSpace() async throws {
        let general = ChatId.general(of: id)
        let chat = try await phone.store.createChat(name: "Noise", in: id).id
        try await phone.store.patchSettings(of: id, set: ["notifyMode": "mentions", "rank": 1.5])
        try await phone.store.setChatNotifyMode("none", of: chat, in: id)
        try await phone.store.setChatNotifyMode("all", of: general, in: id)
        let lines = try await phone.export(id)
        #expect(lines.map { $0.string("kind") } == ["space", "acl", "settings", "details", "change"])
        // Whatever part of it came first: the space is never there without them.
        #expect(try await laptop.store.importLines(Array(lines[..<3])).settings == 4)
        #expect(try await mode(laptop) == .mentions)
        #expect(laptop.events().contains("spaceModeWritten(\"\(id)\")"))
        #expect(try await laptop.store.importLines(lines) == .init(spaceId: id, changes: 2))
        #expect(try await laptop.store.space(id).settings == phone.store.space(id).settings)
        #expect(try await chatMode(chat, laptop) == NotifyMode.none)
        #expect(try await chatMode(general, laptop) == .all)
        // Again, and back again.
        #expect(try await laptop.store.importLines(lines) == .init(spaceId: id))
        #expect(try await phone.take(id, from: laptop) == .init(spaceId: id))
    }

    @Test func theLastWriteWinsOnBothWhoeverExportsFirst() async throws {
        let general = ChatId.general(of: id)
        try await phone.store.setChatNotifyMode("all", of: general, in: id)
        try await laptop.take(id, from: phone)
        // The laptop has seen the phone's write, so its own is the later one, whatever its calendar says.
        try await laptop.store.setChatNotifyMode("none", of: general, in: id)
        try await laptop.store.patchSettings(of: id, set: ["notifyMode": "none"])
        try await laptop.store.patchSettings(of: id, unset: ["notifyMode"])
        #expect(try await laptop.take(id, from: phone).settings == 0)
        #expect(try await chatMode(general, laptop) == NotifyMode.none)
        try await phone.store.patchSettings(of: id, set: ["other": true])
        #expect(try await phone.take(id, from: laptop).settings == 1)
        #expect(try await chatMode(general, phone) == NotifyMode.none)
        try await laptop.take(id, from: phone)
        #expect(try await laptop.store.space(id).settings == phone.store.space(id).settings)
        #expect(try await mode(phone) == nil)
    }

    @Test func aClockThatIsSetBackDoesNotLose() async throws {
        let table = { SettingTable(connection: $0) }
        let times = try await phone.store.settingTimes(table)
        #expect(times == times.sorted() && Set(times).count == times.count)
    }

    @Test func settingsFromBeforeTimesWereKeptTravelAndLoseToAnyWrite() async throws {
        try await phone.store.patchSettings(of: id, set: ["notifyMode": "none"])
        try await phone.store.setChatNotifyMode("mentions", of: ChatId.general(of: id), in: id)
        try await phone.store.forgetTimes()
        try await laptop.take(id, from: phone)
        #expect(try await mode(laptop) == NotifyMode.none)
        #expect(try await chatMode(ChatId.general(of: id), laptop) == .mentions)
        try await laptop.store.patchSettings(of: id, set: ["notifyMode": "all"])
        try await laptop.take(id, from: phone)
        #expect(try await mode(laptop) == .all)
        #expect(try await phone.take(id, from: laptop).settings == 1)
        #expect(try await mode(phone) == .all)
    }

    @Test func theyAreNobodyElsesAndNobodyElseCanMakeThem() async throws {
        let member = try await TestAccount()
        _ = try await phone.store.addMember(member.id, to: id)
        try await phone.store.patchSettings(of: id, set: ["notifyMode": "none"])
        #expect(try await member.take(id, from: phone).settings == 0)
        #expect(try await member.store.space(id).settings == [:])
        try await member.store.patchSettings(of: id, set: ["notifyMode": "all"])
        try await phone.take(id, from: member)
        #expect(try await mode(phone) == NotifyMode.none)
        let text = try await phone.export(id).map { String(decoding: JSONWriter.bytes(.object($0)), as: UTF8.self) }
            .joined()
        #expect(!text.contains("notifyMode"))
    }

    @Test func settingsOfAnotherSpaceAreRefused() async throws {
        let other = try await phone.store.createSpace().id
        try await phone.store.patchSettings(of: other, set: ["notifyMode": "none"])
        var lines = try await phone.export(id)
        lines.insert(try #require(try await phone.export(other).first { $0.string("kind") == "settings" }), at: 2)
        await #expect(throws: SpaceError.badLine(number: 3, reason: "the settings are another space's")) {
            try await laptop.store.importLines(lines)
        }
    }

    @Test func thousandsOfModesTravel() async throws {
        for number in 0..<300 {
            try await phone.store.setMode(of: "chat-\(number)-\(String(repeating: "x", count: 60))", in: id)
        }
        let lines = try await phone.export(id)
        #expect(lines.filter { $0.string("kind") == "settings" }.count > 1)
        #expect(try await laptop.store.importLines(lines).settings == 300)
    }
}

extension AccountStore {
    fileprivate func settingTimes(_ table: (SQLiteConnection) -> SettingTable) throws -> [Int64] {
        try write { connection in
            // The calendar goes back by a day, and another device's write is a day ahead.
            var times: [Int64] = []
            for now in [1_700_000_000_000, 1_700_000_000_000, 1_699_913_600_000] as [Int64] {
                times.append(try table(connection).tick(at: now))
            }
            try table(connection).saw((1_700_086_400_000 << 16) + 7)
            times.append((1_700_086_400_000 << 16) + 7)
            times.append(try table(connection).tick(at: 1_700_000_000_000))
            return times
        }
    }

    fileprivate func forgetTimes() throws {
        try write { try $0.run("DELETE FROM own_setting") }
    }

    /// Mutes a chat that is not known here.
    fileprivate func setMode(of chat: String, in spaceId: String) throws {
        try write { connection in
            let chats = ChatTable(connection: connection)
            try chats.setNotifyMode("none", of: try chats.number(of: chat, in: spaceId))
        }
    }
}
