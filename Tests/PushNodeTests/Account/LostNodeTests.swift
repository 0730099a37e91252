import PushAPI
import PushCrypto
import PushNode
import PushNodeServer
import TestSupport
import Testing

/// A node that went away: with what it held, or while an account left.
@Suite(.timeLimit(.minutes(5))) struct LostNodeTests {
    @Test func aNodeThatComesBackEmptyGetsEverythingWithoutACall() async throws {
        let node = try await TestNode()
        let host = try await HostedAccount(at: node, phone: "phone") {
            $0.client.reconnection.maximum = .milliseconds(200)
        }
        let space = try MemberedSpace(owner: host.account)
        host.directory.put(space, isOwned: true)
        try await host.push.start()
        try await host.register()
        await host.settle()
        await node.stop()
        try await node.loseStore()
        try await node.start()
        await eventually {
            let store = await node.status?.node.store
            return store?.topics == 2 && store?.devices == 1
        }
        await host.push.stop()
        await node.stop()
    }

    @Test func anAccountThatLeavesIsForgottenWhenTheNodeIsBack() async throws {
        let node = try await TestNode()
        let host = try await HostedAccount(at: node, phone: "phone")
        try await host.push.start()
        try await host.register()
        await host.settle()
        await node.stop()
        #expect(await !host.push.leaveDevice(within: .milliseconds(50)))
        await host.push.stop()
        #expect(host.tokens.record == .revoking)
        var options = host.push.options
        options.client.reconnection.maximum = .milliseconds(200)
        let revocation = PendingRevocation(options, tokens: host.tokens)
        let running = Task { await revocation.run() }
        try await node.start()
        await running.value
        #expect(host.tokens.record == .none)
        #expect(await node.status?.node.store?.devices == 0)
        await node.stop()
    }

    @Test func aRevocationThatIsGivenUpStaysOnTheRecord() async throws {
        let node = try await TestNode()
        await node.stop()
        let host = try await HostedAccount(at: node, phone: "phone")
        try host.tokens.save(.registered(DeviceToken(platform: .ios, token: "t")))
        // Without a run there is nothing but the record.
        #expect(await host.push.leaveDevice(within: .seconds(1)))
        #expect(host.tokens.record == .revoking)
        let running = Task { await PendingRevocation(host.push.options, tokens: host.tokens).run() }
        running.cancel()
        await running.value
        #expect(host.tokens.record == .revoking)
    }

    @Test(arguments: [true, false])
    func aRecordThatCannotBeReadMayBeOfATokenThatTheNodeHolds(_ isRunning: Bool) async throws {
        let node = try await TestNode()
        let host = try await HostedAccount(at: node, phone: "phone")
        try await host.push.start()
        try await host.register()
        await host.settle()
        await host.push.stop()
        #expect(await node.status?.node.store?.devices == 1)
        host.tokens.damage(true)
        if isRunning { try await host.push.start() }
        #expect(await host.push.leaveDevice(within: .seconds(60)))
        if isRunning {
            #expect(host.tokens.record == .none)
            #expect(await node.status?.node.store?.devices == 0)
            await host.push.stop()
        } else {
            #expect(host.tokens.record == .revoking)
        }
        await node.stop()
    }

    @Test func anAccountWithoutATokenHasNothingToLeave() async throws {
        let node = try await TestNode()
        await node.stop()
        let host = try await HostedAccount(at: node, phone: "phone")
        try await host.push.start()
        #expect(await host.push.leaveDevice(within: .seconds(60)))
        await host.push.stop()
        #expect(host.tokens.record == .none)
    }
}
