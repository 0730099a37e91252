import PushNode
import Testing

@testable import AnyServer

@Suite struct SettingsTests {
    private let account: TestAccount
    private let id: String

    init() async throws {
        account = try await TestAccount()
        id = try await account.store.createSpace().id
        _ = account.events()
    }

    private var settings: [String: SettingValue] {
        get async throws { try await account.store.space(id).settings }
    }

    @Test func scalarsAreSetAndTakenAway() async throws {
        try await account.store.patchSettings(
            of: id, set: ["s": "text", "i": 7, "d": 1.5, "b": false, "ключ": "значение"], unset: ["absent"]
        )
        #expect(
            try await settings == [
                "s": .string("text"), "i": .integer(7), "d": .number(1.5), "b": .bool(false),
                "ключ": .string("значение"),
            ]
        )
        #expect(account.events() == ["spaceChanged(\"\(id)\")"])
        try await account.store.patchSettings(of: id, set: ["s": 8], unset: ["i", "b"])
        #expect(try await settings == ["s": .integer(8), "d": .number(1.5), "ключ": .string("значение")])
    }

    @Test func aWrittenNotifyModeIsTold() async throws {
        try await account.store.patchSettings(of: id, set: ["notifyMode": "none"])
        #expect(account.events() == ["spaceChanged(\"\(id)\")", "spaceModeWritten(\"\(id)\")"])
        #expect(try await account.store.space(id).notifyMode == NotifyMode.none)
        try await account.store.patchSettings(of: id, unset: ["notifyMode"])
        #expect(account.events() == ["spaceChanged(\"\(id)\")", "spaceModeWritten(\"\(id)\")"])
        #expect(try await account.store.space(id).notifyMode == nil)
    }

    @Test(
        arguments: [
            (["": 1], [], SpaceError.invalidSetting(key: "", .emptyKey)),
            (["a.b": 1], [], .invalidSetting(key: "a.b", .dotInKey)),
            (["a": nil], [], .invalidSetting(key: "a", .notScalar)),
            (["a": []], [], .invalidSetting(key: "a", .notScalar)),
            (["a": [:]], [], .invalidSetting(key: "a", .notScalar)),
            (["a": 1], ["a"], .invalidSetting(key: "a", .inBoth)),
            ([:], [""], .invalidSetting(key: "", .emptyKey)),
            ([:], ["b", "a.b"], .invalidSetting(key: "a.b", .dotInKey)),
            ([:], [], .noSettings),
        ] as [(JSONObject, [String], SpaceError)])
    func whatIsNoPatchChangesNothing(_ set: JSONObject, _ unset: [String], _ expected: SpaceError) async throws {
        await #expect(throws: expected) { try await account.store.patchSettings(of: id, set: set, unset: unset) }
        #expect(try await settings == [:])
        #expect(account.events() == [])
        // The rules come before the space.
        await #expect(throws: expected) { try await account.store.patchSettings(of: "nowhere", set: set, unset: unset) }
    }

    @Test func theErrorsAreTheContracts() {
        let empty = SpaceError.noSettings.apiError
        #expect(empty.code == .missingField && empty.message == "at least one set or unset entry is required")
        for fault in [SpaceError.SettingFault.emptyKey, .dotInKey, .notScalar, .inBoth] {
            let error = SpaceError.invalidSetting(key: "k", fault).apiError
            #expect(error.code == .invalidField && error.details == ["key": "k"])
        }
        #expect(SpaceError.notFound.apiError.code.name == "space.not_found")
        #expect(SpaceError.notFound.apiError.code.status == .notFound)
    }

    @Test func anUnknownSpaceIsNotFound() async throws {
        await #expect(throws: SpaceError.notFound) {
            try await account.store.patchSettings(of: "nowhere", set: ["a": 1])
        }
    }

    @Test func manySmallSettingsAreKeptAndTooManyAreNot() async throws {
        var many = JSONObject()
        for number in 0..<20_000 { many["k\(number)"] = 1 }
        try await account.store.patchSettings(of: id, set: many)
        #expect(try await settings.count == 20_000)
        for number in 20_000..<40_000 { many["k\(number)"] = 1 }
        await #expect(throws: SpaceError.settingsTooLarge(limit: 256 * 1024)) {
            try await account.store.patchSettings(of: id, set: many)
        }
        #expect(try await settings.count == 20_000)
    }
}
