import AnySyncNet
import FoundationEssentials
import ProtoWire
import PushAPI
import PushCrypto
import PushNodeServer
import TestSupport
import Testing

@testable import PushNode

/// An account's life without a node that matters.
@Suite(.timeLimit(.minutes(5))) struct PushAccountTests {
    @Test func pushIsOnWhenThereIsANodeUnlessItIsSaidOtherwise() throws {
        let node = PushNodeLocation(
            peerId: PeerId(publicKey: SigningKey().publicKey),
            addresses: [try .init("yamux://127.0.0.1:\(RefusedPort.tcp)")]
        )
        func reason(_ node: PushNodeLocation?, _ enabled: Bool?) -> PushDisabledReason? {
            PushOptions(account: SigningKey(), device: SigningKey(), node: node, enabled: enabled).disabledReason
        }
        #expect(reason(node, nil) == nil && reason(node, true) == nil)
        #expect(reason(node, false) == .switchedOff && reason(nil, false) == .switchedOff)
        #expect(reason(nil, nil) == .noNode && reason(nil, true) == .enabledWithoutNode)
        #expect(reason(PushNodeLocation(peerId: node.peerId, addresses: []), nil) == .noAddress)
    }

    @Test func anAccountWithoutPushTakesWhatHappensAndSaysWhyItDoesNothing() async throws {
        let persistence = MemoryPersistence()
        let options = PushOptions(account: SigningKey(), device: SigningKey(), node: nil)
        let push = PushAccount(options, directory: MemoryDirectory(), tokens: persistence)
        try await push.start()
        push.chatRead(ChatReading(spaceId: "s", chatId: "c", lastMessageId: nil, readAt: 1))
        await push.spaceModeWritten()
        await push.chatModeWritten(in: "s")
        push.directoryChanged(.space("s"))
        let disabled = PushAccountError.disabled(.noNode)
        await #expect(throws: disabled) { try await push.setToken(DeviceToken(platform: .ios, token: "t")) }
        await #expect(throws: disabled) { try await push.deleteToken() }
        await #expect(throws: disabled) { try await push.tokenStatus() }
        await #expect(throws: disabled) { try await push.subscriptions() }
        #expect(persistence.saves == 0)
        let status = await push.status
        #expect(!status.isEnabled && status.activity == nil && status.connectionWarning == nil)
        #expect(await push.drain(timeout: .zero))
        await push.stop()
    }

    @Test func aTokenThatCanNotBeSavedChangesNothing() async throws {
        let node = try await TestNode()
        let host = try await HostedAccount(at: node, phone: "phone")
        try await host.push.start()
        host.tokens.fail(true)
        await #expect(throws: PushAccountError.tokenNotSaved(reason: "DiskFull()")) { try await host.register() }
        #expect(try await host.push.tokenStatus().isRegistered == false)
        await host.push.stop()
        await node.stop()
    }

    @Test func aReadableConnectionIsWarnedOfAndAnEncryptedOneIsNot() async throws {
        for (address, isWarned) in [("yamux://127.0.0.1:0", true), ("tls+yamux://127.0.0.1:0", false)] {
            let node = try await TestNode(at: address)
            let host = try await HostedAccount(at: node, phone: "phone")
            try await host.push.start()
            await host.settle()
            #expect(await (host.push.status.connectionWarning != nil) == isWarned)
            await host.push.stop()
            await node.stop()
        }
    }

    @Test func startsAndStopsInAnyNumberLeaveNothing() async throws {
        // In a process of its own, whose threads and files are nobody else's.
        await #expect(processExitsWith: .success) {
            let node = try await TestNode()
            let host = try await HostedAccount(at: node, phone: "phone")
            let space = try MemberedSpace(owner: host.account)
            host.directory.put(space, isOwned: true)
            // What the process makes once stays.
            try await host.push.start()
            try await host.register()
            await host.settle()
            await host.push.stop()
            let before = Belongings()
            for _ in 0..<20 {
                try await host.push.start()
                try await host.push.start()
                host.push.messageSent(host.message("m", "text", in: space))
                await host.settle()
                #expect(await host.push.drain(timeout: .seconds(60)))
                await host.push.stop()
                await host.push.stop()
            }
            await eventually { await node.status?.network.openIncoming == 0 }
            #expect(await node.status?.network.establishedIncoming.values.reduce(0, +) == 21)
            let after = Belongings()
            #expect(after.files <= before.files, "files: \(before.files), then \(after.files)")
            // The pool that runs tasks may grow by a thread now and then, not by one for each start.
            #expect(after.threads < before.threads + 10, "threads: \(before.threads), then \(after.threads)")
            #expect(host.directory.feed.listenerCount == 0)
            await node.stop()
        }
    }

    @Test func nothingOfARunOutlivesItsStop() async throws {
        let node = try await TestNode()
        let host = try await HostedAccount(at: node, phone: "phone")
        try await host.push.start()
        try await host.register()
        await host.settle()
        weak let runtime = host.push.runtime
        weak let eventLoop = runtime?.network.eventLoop
        weak let client = runtime?.client
        weak let reconciler = runtime?.reconciler
        weak let tokens = runtime?.tokens
        weak let keyring = runtime?.keyring
        #expect(eventLoop != nil && keyring != nil)
        await host.push.stop()
        await eventually {
            runtime == nil && eventLoop == nil && client == nil && reconciler == nil && tokens == nil && keyring == nil
        }
        await eventually { await node.status?.network.openIncoming == 0 }
        #expect(host.directory.feed.listenerCount == 0)
        await node.stop()
    }

    @Test func startsAndStopsAtOnceEndInOrder() async throws {
        let node = try await TestNode()
        let host = try await HostedAccount(at: node, phone: "phone")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<30 {
                group.addTask {
                    if index.isMultiple(of: 2) { try await host.push.start() } else { await host.push.stop() }
                }
            }
            try await group.waitForAll()
        }
        await host.push.stop()
        #expect(await host.push.status.activity == nil)
        try await host.push.start()
        await host.settle()
        await host.push.stop()
        await node.stop()
    }

    @Test func aStopIsQuickWhileTheNodeDoesNotAnswer() async throws {
        // Nobody listens there, and what is tried there is tried again.
        let node = try await TestNode()
        await node.stop()
        let host = try await HostedAccount(at: node, phone: "phone")
        let space = try MemberedSpace(owner: host.account)
        host.directory.put(space, isOwned: true)
        try await host.push.start()
        try await host.register()
        host.push.messageSent(host.message("m", "text", in: space))
        await eventually { await host.push.status.activity?.queue.lastError != nil }
        let duration = await ContinuousClock().measure { await host.push.stop() }
        #expect(duration < .seconds(60))
        #expect(host.tokens.record == .registered(DeviceToken(platform: .android, token: "phone")))
    }
}

/// The threads and open files of the process.
private struct Belongings {
    let threads: Int
    let files: Int

    init() {
        threads = Self.count("/proc/self/task")
        files = Self.count("/proc/self/fd")
    }

    private static func count(_ path: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }
}
