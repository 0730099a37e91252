import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import PushReceiver
import TestSupport
import Testing

/// Two accounts of one space, each with push as a host embeds it, a real node, and their phones.
@Suite(.timeLimit(.minutes(5))) struct PushAccountEndToEndTests {
    @Test func aMessageReachesThePhoneSealedAndByItsSender() async throws {
        try await World.run { world in
            try await world.send("m1", "hello")
            await eventually { world.bob.phone.count == 1 }
            guard case .message(let message) = world.bob.phone.received.first else {
                Issue.record("not opened: \(world.bob.phone.received)")
                return
            }
            #expect(message.text == "hello" && message.title == "Space" && message.subtitle == "General")
            #expect(message.senderName == "Somebody" && message.sender == world.alice.identity)
            #expect(message.chatId == "general" && message.messageId == "m1" && message.spaceId == world.space.id)
            let data = try #require(world.node.tray.data(of: "bob's phone").first)
            #expect(!data.values.contains { $0.contains("hello") || $0.contains("Space") })
            #expect(world.alice.phone.count == 0, "not to the sender's own phone")
        }
    }

    @Test func aMutedSpaceOrChatIsSilentAndMentionsComeThroughWhereAskedFor() async throws {
        try await World.run { world in
            world.bob.directory.addChat(DirectoryChat(id: "second", name: "Second"), to: world.space.id)
            world.bob.directory.setMode(NotifyMode.none, ofChat: "general", in: world.space.id)
            await world.bob.push.chatModeWritten(in: world.space.id)
            await world.bob.settle()
            try await world.send("m1", "unheard")
            try await world.send("m2", "heard", chat: "second")
            await eventually { world.bob.phone.count == 1 }
            #expect(world.bob.phone.shown == ["Space: heard"])

            world.bob.directory.setMode(.mentions, of: world.space.id)
            await world.bob.push.spaceModeWritten()
            await world.bob.settle()
            try await world.send("m3", "not for bob", chat: "second")
            try await world.send("m4", "for bob", chat: "second", mentions: [world.bob.identity])
            try await world.send("m5", "muted all the same", mentions: [world.bob.identity])
            try await world.send("m6", "for bob too", chat: "second", mentions: [world.bob.identity])
            await eventually { world.bob.phone.count == 3 }
            #expect(world.bob.phone.shown == ["Space: heard", "Space: for bob", "Space: for bob too"])
        }
    }

    @Test func anEditTellsThoseWhomItNewlyMentions() async throws {
        try await World.run { world in
            world.bob.directory.setMode(.mentions, of: world.space.id)
            await world.bob.push.spaceModeWritten()
            await world.bob.settle()
            let edit = world.alice.message("m1", "look, bob", in: world.space, mentions: [world.bob.identity])
            world.alice.push.messageEdited(edit, mentionsBefore: [world.bob.identity])
            world.alice.push.messageEdited(edit, mentionsBefore: nil)
            world.alice.push.messageEdited(edit, mentionsBefore: [])
            await eventually { world.bob.phone.count == 1 }
            #expect(world.bob.phone.shown == ["Space: look, bob"])
            let hooks = try #require(await world.alice.push.status.activity?.hooks)
            #expect(hooks.withoutNewMention == 1 && hooks.withoutEarlierState == 1 && hooks.enqueued == 1)
        }
    }

    @Test func readingTakesBackWhatTheReadersOwnPhoneShows() async throws {
        try await World.run { world in
            world.bob.push.chatRead(
                ChatReading(spaceId: world.space.id, chatId: "general", lastMessageId: nil, readAt: 1))
            await eventually { world.bob.phone.count == 1 }
            guard case .silent(let notice) = world.bob.phone.received.first else {
                return _ = Issue.record("not silent: \(world.bob.phone.received)")
            }
            #expect(notice.groupId == GroupId(chatId: "general").text)
            #expect(notice.reading?.account == world.bob.identity && notice.reading?.chatId == "general")
            #expect(world.alice.phone.count == 0)
        }
    }

    @Test func aRotationChangesTheKeyAndARemovedMemberNeitherSendsNorGets() async throws {
        try await World.run { world in
            try world.space.rotate()
            world.alice.directory.feed.send(.space(world.space.id))
            try await world.send("m1", "under a new key")
            await eventually { world.bob.phone.count == 1 }
            #expect(world.bob.phone.shown == [GenericNotification.text], "the app has not seen the new key")
            world.bob.phone.see(try world.space.keys, of: world.space.id, by: world.bob.identity)
            #expect(world.bob.phone.shown == ["Space: under a new key"])

            try world.space.remove(world.bob.account)
            await world.bob.settle()
            #expect(try await world.bob.push.subscriptions() == [])
            world.bob.push.messageSent(world.bob.message("m2", "still here", in: world.space))
            await eventually { await world.bob.push.status.activity?.hooks.failed == 1 }
            #expect(await world.bob.push.status.activity?.hooks.lastFailure == .noKeys)
            try await world.send("m3", "without bob")
            #expect(world.bob.phone.count == 1 && world.alice.phone.count == 0)
        }
    }

    @Test func aRestartGoesOnWhereItEnded() async throws {
        try await World.run { world in
            await world.bob.push.stop()
            #expect(await world.bob.push.status.activity == nil)
            await #expect(throws: PushAccountError.notRunning) { try await world.bob.push.subscriptions() }
            try await world.send("m1", "while bob's server is off")
            await eventually { world.bob.phone.count == 1 }
            world.bob.directory.setMode(NotifyMode.none, of: world.space.id)
            try await world.bob.push.start()
            await world.bob.settle()
            #expect(try await world.bob.push.subscriptions() == [])
            try await world.send("m2", "muted while off")
            world.bob.directory.setMode(nil, of: world.space.id)
            await world.bob.push.spaceModeWritten()
            await world.bob.settle()
            try await world.send("m3", "heard again")
            await eventually { world.bob.phone.count == 2 }
            #expect(world.bob.phone.shown == ["Space: while bob's server is off", "Space: heard again"])
        }
    }

    @Test func anOutageOfTheNodeLosesNothing() async throws {
        try await World.run { world in
            // Chat by chat from the start: a node loses what it has accepted and not matched yet for who changes
            // topics.
            let second = DirectoryChat(id: "second", name: "Second", notifyMode: .mentions)
            world.bob.directory.addChat(second, to: world.space.id)
            await world.bob.settle()
            await world.node.stop()
            for id in 1...3 {
                world.alice.push.messageSent(world.alice.message("m\(id)", WireString("number \(id)"), in: world.space))
            }
            world.bob.directory.setMode(NotifyMode.none, ofChat: "second", in: world.space.id)
            await world.bob.push.chatModeWritten(in: world.space.id)
            await eventually { await world.alice.push.status.activity?.queue.lastError != nil }
            await eventually { await world.bob.push.status.activity?.reconciler.last?.error != nil }
            #expect(world.bob.phone.count == 0)

            try await world.node.start()
            #expect(await world.alice.push.drain(timeout: .seconds(60)))
            await world.bob.settle()
            try await world.send("m4", "muted meanwhile", chat: "second")
            try await world.send("m5", "number 4")
            await eventually { world.bob.phone.count == 4 }
            #expect(world.bob.phone.shown == (1...4).map { "Space: number \($0)" })
        }
    }

    @Test func aDeletedTokenGetsNothing() async throws {
        try await World.run { world in
            try await world.bob.push.deleteToken()
            await world.bob.settle()
            let status = try await world.bob.push.tokenStatus()
            #expect(!status.isRegistered && status.isSettled)
            try await world.send("m1", "to nobody")
            try await world.bob.register()
            await world.bob.settle()
            try await world.send("m2", "to the phone")
            await eventually { world.bob.phone.count == 1 }
            #expect(world.bob.phone.shown == ["Space: to the phone"])
        }
    }
}

/// Alice, who owns a space, and Bob, its other member, both with a phone.
private struct World {
    let node: TestNode
    let space: MemberedSpace
    let alice: HostedAccount
    let bob: HostedAccount

    static func run(_ body: (World) async throws -> Void) async throws {
        let node = try await TestNode()
        let alice = try await HostedAccount(at: node, phone: "alice's phone")
        let bob = try await HostedAccount(at: node, phone: "bob's phone")
        let space = try MemberedSpace(owner: alice.account)
        try space.add(bob.account)
        let world = World(node: node, space: space, alice: alice, bob: bob)
        var failure: (any Error)?
        do {
            for (member, isOwned) in [(alice, true), (bob, false)] {
                member.directory.put(space, isOwned: isOwned)
                member.phone.see(try space.keys, of: space.id, by: member.identity)
                try await member.push.start()
                try await member.register()
            }
            await alice.settle()
            await bob.settle()
            try await body(world)
        } catch {
            failure = error
        }
        await alice.push.stop()
        await bob.push.stop()
        await node.stop()
        if let failure { throw failure }
    }

    /// Alice sends a message; it is at the node when this returns.
    func send(
        _ id: String, _ text: WireString, chat: String = "general", mentions: [PublicKey] = []
    ) async throws {
        alice.push.messageSent(alice.message(id, text, in: space, chat: chat, mentions: mentions))
        #expect(await alice.push.drain(timeout: .seconds(60)))
    }
}
