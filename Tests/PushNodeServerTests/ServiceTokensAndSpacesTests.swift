import AnySyncWire
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import Testing

@testable import PushNodeServer

@Suite struct ServiceTokensAndSpacesTests {
    private let space = TestSpace()
    private let member = Member()

    @Test func aTokenIsKeptForTheCallersDeviceAndRevoked() async throws {
        let service = try await TestService()
        let answer = try await service.call(.setToken, SetTokenRequest(platform: .android, token: "t"), as: member)
        #expect(answer == [])
        #expect(try await service.test.store.statistics().devices == 1)
        try await service.call(.revokeToken, Ok(), as: member.onAnotherDevice())
        #expect(try await service.test.store.statistics().devices == 1)
        #expect(try await service.call(.revokeToken, Ok(), as: member) == [])
        #expect(try await service.test.store.statistics().devices == 0)
    }

    @Test(arguments: [
        (Platform(rawValue: 2), WireString("t"), RefusalReason.invalidToken),
        (Platform(rawValue: -1), "t", .invalidToken),
        (.ios, "", .invalidToken),
        (.ios, WireString(bytes: [0xff, 0xfe]), .invalidToken),
        (.ios, WireString(bytes: repeatElement(0x61, count: 2049)), .limitExceeded),
    ])
    func aTokenThatCanNotBeUsedIsRefused(platform: Platform, token: WireString, reason: RefusalReason) async throws {
        let service = try await TestService()
        let refusal = await service.refusal(.setToken, SetTokenRequest(platform: platform, token: token), as: member)
        #expect(refusal?.reason == reason)
        #expect(refusal?.rpcError.code == 0)
        #expect(try await service.test.store.statistics() == StoreStatistics())
    }

    @Test func theLongestTokenIsTaken() async throws {
        let service = try await TestService()
        let token = WireString(bytes: repeatElement(0x61, count: 2048))
        try await service.call(.setToken, SetTokenRequest(platform: .ios, token: token), as: member)
    }

    @Test func anAccountsDevicesAreLimited() async throws {
        var limits = ServiceLimits()
        limits.devicesPerAccount = 1
        let service = try await TestService(limits: limits)
        try await service.call(.setToken, SetTokenRequest(platform: .ios, token: "a"), as: member)
        let refusal = await service.refusal(
            .setToken, SetTokenRequest(platform: .ios, token: "b"), as: member.onAnotherDevice()
        )
        #expect(refusal?.reason == .limitExceeded)
        #expect(refusal?.text.contains("1 devices") == true)
    }

    // Whoever learns a phone's token registers it for accounts of theirs, to send to it.
    @Test func theAccountsOfATokenAreLimited() async throws {
        var limits = ServiceLimits()
        limits.accountsPerToken = 2
        let service = try await TestService(limits: limits)
        let request = SetTokenRequest(platform: .ios, token: "a")
        let (second, third) = (Member(), Member())
        for caller in [member, second, member.onAnotherDevice()] {
            try await service.call(.setToken, request, as: caller)
        }
        let refusal = await service.refusal(.setToken, request, as: third)
        #expect(refusal?.reason == .limitExceeded)
        #expect(refusal?.text.contains("2 accounts") == true)
        #expect(try await service.test.store.statistics().accounts == 2)
        // Another platform's token of the same text is another token, and one that is given up makes room.
        try await service.call(.setToken, SetTokenRequest(platform: .android, token: "a"), as: third)
        try await service.call(.revokeToken, Ok(), as: second)
        try await service.call(.setToken, request, as: third)
    }

    @Test func aSpaceIsCreatedOnceAndOnlyItsAuthorRemovesIt() async throws {
        let service = try await TestService()
        let other = Member()
        for caller in [member, member, other] {
            #expect(try await service.call(.createSpace, request(caller), as: caller) == [])
        }
        #expect(try await service.call(.removeSpace, request(other), as: other) == [])
        #expect(try await service.test.store.statistics().spaces == 1)
        try await service.call(.removeSpace, request(member), as: member)
        try await service.call(.removeSpace, request(member), as: member)
        #expect(try await service.test.store.statistics().spaces == 0)
    }

    @Test(arguments: [PushRPC.createSpace, .removeSpace])
    func aSpaceKeyMustVouchForTheCaller(_ rpc: PushRPC) async throws {
        let service = try await TestService()
        // Somebody else's signature, no signature, and the wrong key.
        var requests = [request(Member()), request(member), request(member)]
        requests[1].accountSignature = []
        requests[2].spaceKey = TestSpace().bytes
        for request in requests {
            let refusal = await service.refusal(rpc, request, as: member)
            #expect(refusal?.reason == .invalidSignature)
            #expect(refusal?.rpcError.code == 1201)
        }
        #expect(try await service.test.store.statistics().spaces == 0)
    }

    @Test(arguments: [[], [UInt8](repeating: 1, count: 31), [UInt8](repeating: 0, count: 33), notAPoint])
    func aSpaceKeyThatIsNoPointIsRefused(_ key: [UInt8]) async throws {
        let service = try await TestService()
        var request = request(member)
        request.spaceKey = key
        for rpc in [PushRPC.createSpace, .removeSpace] {
            let refusal = await service.refusal(rpc, request, as: member)
            #expect(refusal?.reason == .invalidSpaceKey)
            #expect(refusal?.rpcError.code == 0)
        }
    }

    @Test func anAccountsSpacesAreLimited() async throws {
        var limits = ServiceLimits()
        limits.spacesPerAccount = 1
        let service = try await TestService(limits: limits)
        try await service.call(.createSpace, request(member), as: member)
        try await service.call(.createSpace, request(member), as: member)
        let another = TestSpace()
        let refusal = await service.refusal(.createSpace, request(member, another), as: member)
        #expect(refusal?.reason == .limitExceeded)
    }

    private func request(_ member: Member, _ space: TestSpace? = nil) -> SpaceRequest {
        let space = space ?? self.space
        return SpaceRequest(spaceKey: space.bytes, accountSignature: space.key.signature(for: member.address.bytes))
    }
}

/// 32 bytes that do not decode to a point of the curve.
let notAPoint: [UInt8] = [2] + [UInt8](repeating: 0, count: 31)
