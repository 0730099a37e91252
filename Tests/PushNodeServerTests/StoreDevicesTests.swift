import ProtoWire
import PushAPI
import PushNode
import Testing

@testable import PushNodeServer

@Suite struct StoreDevicesTests {
    private let test: TestStore
    private let space = TestSpace()

    init() async throws {
        test = try await TestStore()
    }

    @Test func aDeviceHasOneToken() async throws {
        let member = Member()
        try await test.add(member, token: "old", to: [space.key("chats")])
        try await test.add(member, token: "new", platform: .android, to: [space.key("chats")])
        let queued = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await test.tokens(of: queued, in: .ios) == [])
        #expect(try await test.tokens(of: queued, in: .android) == ["new"])
    }

    @Test func anAccountMayHaveSeveralDevicesUpToALimit() async throws {
        let first = Member()
        let second = first.onAnotherDevice()
        let third = first.onAnotherDevice()
        #expect(try await set("first", of: first, limit: 2))
        #expect(try await set("second", of: second, limit: 2))
        #expect(try await !set("third", of: third, limit: 2))
        #expect(try await test.store.statistics().devices == 2)
        // A device that is known may go on changing its token at the limit.
        #expect(try await set("first anew", of: first, limit: 2))
    }

    @Test func aPhoneThatIsSetUpAnewUnderAnotherDeviceKeyHasOneDevice() async throws {
        let member = Member()
        try await test.add(member, token: "phone", to: [space.key("chats")])
        try await test.add(member.onAnotherDevice(), token: "phone", to: [space.key("chats")])
        #expect(try await test.store.statistics().devices == 1)
        // The old device is gone: revoking it does not touch the new one.
        try await test.store.revokeToken(of: member.caller)
        #expect(try await test.store.statistics().devices == 1)
    }

    @Test func revokingForgetsOnlyThatDevice() async throws {
        let member = Member()
        let other = member.onAnotherDevice()
        try await test.add(member, token: "first", to: [space.key("chats")])
        try await test.add(other, token: "second", to: [space.key("chats")])
        try await test.store.revokeToken(of: member.caller)
        try await test.store.revokeToken(of: member.caller)
        let queued = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await test.tokens(of: queued) == ["second"])
    }

    @Test func anAccountWithNeitherDeviceNorTopicIsForgotten() async throws {
        let member = Member()
        try await test.add(member, token: "phone", to: [space.key("chats")])
        try await test.store.revokeToken(of: member.caller)
        #expect(try await test.store.statistics().accounts == 1)
        try await test.store.replaceTopics(of: member.identity, by: [])
        var expected = StoreStatistics()
        #expect(try await test.store.statistics() == expected)
        try await test.add(member, token: "phone", to: [])
        expected.accounts = 1
        expected.devices = 1
        #expect(try await test.store.statistics() == expected)
        try await test.store.revokeToken(of: member.caller)
        #expect(try await test.store.statistics() == StoreStatistics())
    }

    @Test func tokensAreKeptAsTheirBytes() async throws {
        let member = Member()
        let token = WireString(bytes: [0x61, 0x00, 0xc3, 0xa9, 0x27])
        _ = try await test.store.setToken(
            token, platform: .ios, of: member.caller, at: TestStore.now, limit: 1, accountLimit: 1)
        try await test.store.replaceTopics(of: member.identity, by: [space.key("chats")])
        let queued = try await test.accept(test.notification([space.key("chats")]))
        #expect(try await TestStore.matchAll(test.store, queued).map(\.token) == [token])
    }

    private func set(_ token: String, of member: Member, limit: Int) async throws -> Bool {
        try await test.store.setToken(
            WireString(token), platform: .ios, of: member.caller, at: TestStore.now, limit: limit, accountLimit: 100
        ) == .registered
    }
}
