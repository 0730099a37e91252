import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// What chats turn into, and that nothing of it reaches the caller.
@Suite(.timeLimit(.minutes(5))) struct PushHooksTests {
    @Test func aMessageNotifiesTheChatAndThoseItMentions() async throws {
        let bench = HookBench()
        let (first, second) = (SigningKey().publicKey, SigningKey().publicKey)
        bench.hooks.messageSent(bench.message("m1", mentions: [first, second], attachments: 2))
        let sent = try #require(await bench.notifications(1).first)
        let group = GroupId(chatId: "c1").text
        #expect(sent.kind == .normal)
        #expect(sent.request.groupId.string == group)
        #expect(
            sent.topics == [
                "chats", "chats/\(group)", "chats/\(group)/\(first)", "\(first)", "chats/\(group)/\(second)",
                "\(second)",
            ]
        )
        let keys = try #require(bench.source.keys)
        for topic in sent.request.topics?.topics ?? [] {
            #expect(topic.spaceKey == keys.spaceKey.publicKey.rawRepresentation)
            #expect(keys.spaceKey.publicKey.isValidSignature(topic.signature, for: topic.topic.bytes))
        }
        let message = try #require(sent.request.message)
        #expect(message.keyId.string == keys.encryptionKeyId)
        #expect(bench.account.publicKey.isValidSignature(message.signature, for: message.payload))
        let payload = try ChatPayload(json: keys.encryptionKey.open(message.payload))
        #expect(payload == bench.payload("m1", attachments: 2))
        #expect((message.payload.count - SealedPayload.overhead) % PayloadPadding.step == 0, "padded")
        #expect(bench.hooks.status.enqueued == 1)
        await bench.shutdown()
    }

    @Test func mentionsTakeNoRoomForTheirIds() async throws {
        let bench = HookBench()
        let links = (0..<40).map { _ in "[Bob](any://m/space/\(SigningKey().publicKey.accountAddress))" }
        bench.hooks.messageSent(bench.message("m1", text: links.joined(separator: " ") + " come"))
        let sent = try #require(await bench.notifications(1).first)
        let keys = try #require(bench.source.keys)
        let payload = try ChatPayload(json: keys.encryptionKey.open(sent.request.message?.payload ?? []))
        #expect(payload.newMessage.text.string == String(repeating: "@Bob ", count: 40) + "come")
        await bench.shutdown()
    }

    @Test func aOneToOneSpaceSaysSo() async throws {
        let bench = HookBench(isOneToOne: true)
        bench.hooks.messageSent(bench.message("m1"))
        let sent = try #require(await bench.notifications(1).first)
        let keys = try #require(bench.source.keys)
        let payload = try ChatPayload(json: keys.encryptionKey.open(sent.request.message?.payload ?? []))
        #expect(payload.spaceType == 4 && payload.spaceUxType == 4)
        await bench.shutdown()
    }

    @Test func anEditNotifiesThoseWhoAreNew() async throws {
        let bench = HookBench()
        let (old, new, other) = (SigningKey().publicKey, SigningKey().publicKey, SigningKey().publicKey)
        bench.hooks.messageEdited(bench.message("m1", mentions: [new, old, other]), mentionsBefore: [old])
        let sent = try #require(await bench.notifications(1).first)
        let group = GroupId(chatId: "c1").text
        #expect(sent.topics == ["chats/\(group)/\(new)", "\(new)", "chats/\(group)/\(other)", "\(other)"])
        #expect(sent.kind == .normal && sent.request.message != nil)
        await bench.shutdown()
    }

    @Test func anEditThatMentionsNobodyNewSendsNothing() async {
        let bench = HookBench()
        let old = SigningKey().publicKey
        bench.hooks.messageEdited(bench.message("m1", mentions: [old]), mentionsBefore: [old, SigningKey().publicKey])
        bench.hooks.messageEdited(bench.message("m1"), mentionsBefore: [])
        #expect(await bench.hooks.drain(timeout: .seconds(1)))
        #expect(bench.hooks.status.withoutNewMention == 2)
        #expect(bench.hooks.status.enqueued == 0)
        #expect(bench.source.calls == 0, "most edits are such: they cost no key")
        await bench.shutdown()
    }

    @Test func anEditOfAnUnknownStateSendsNothing() async {
        let bench = HookBench()
        bench.hooks.messageEdited(bench.message("m1", mentions: [SigningKey().publicKey]), mentionsBefore: nil)
        #expect(await bench.hooks.drain(timeout: .seconds(1)))
        #expect(bench.hooks.status.withoutEarlierState == 1)
        #expect(bench.hooks.status.enqueued == 0)
        #expect(await bench.sender.sent == [])
        await bench.shutdown()
    }

    @Test func theHooksOfASpaceKeepTheirOrder() async {
        let bench = HookBench()
        bench.source.hold()
        for number in 1...20 { bench.hooks.messageSent(bench.message("m\(number)")) }
        bench.source.release()
        let sent = await bench.notifications(20)
        #expect(bench.messageIds(sent) == (1...20).map { "m\($0)" })
        await bench.shutdown()
    }

    @Test func aSpaceDoesNotWaitForAnother() async {
        let bench = HookBench()
        bench.source.hold("s1")
        bench.hooks.messageSent(bench.message("m1"))
        bench.hooks.messageSent(bench.message("m2", space: "s2"))
        #expect(bench.messageIds(await bench.notifications(1)) == ["m2"])
        await bench.shutdown()
    }

    @Test func aHookHasItsTime() async {
        let bench = HookBench()
        bench.source.hold("s1")
        bench.hooks.messageSent(bench.message("m1"))
        bench.hooks.messageSent(bench.message("m2"))
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(30) - .milliseconds(1))
        #expect(bench.hooks.status.failed == 0)
        bench.clock.advance(by: .milliseconds(1))
        await eventually { bench.hooks.status.failed == 1 }
        #expect(bench.hooks.status.lastFailure == .budgetExceeded)
        // The next one has a time of its own.
        bench.source.release()
        #expect(bench.messageIds(await bench.notifications(1)) == ["m2"])
        await bench.shutdown()
    }

    @Test func nobodyButAMemberNotifies() async {
        let bench = HookBench()
        bench.source.setKeys(nil)
        bench.hooks.messageSent(bench.message("m1"))
        await eventually { bench.hooks.status.failed == 1 }
        #expect(bench.hooks.status.lastFailure == .noKeys)
        #expect(bench.events.all == [.hookFailed(spaceId: "s1", .noKeys)])
        await bench.shutdown()
    }

    @Test func keysAndNamesThatFailCostThatNotificationOnly() async {
        let bench = HookBench()
        bench.source.fail(true)
        bench.hooks.messageSent(bench.message("m1"))
        await eventually { bench.hooks.status.failed == 1 }
        bench.source.fail(false)
        bench.hooks.messageSent(bench.message("m2"))
        #expect(bench.messageIds(await bench.notifications(1)) == ["m2"])
        #expect(bench.hooks.status.lastFailure == .unavailable(reason: "Unavailable()"))
        await bench.shutdown()
    }

    @Test func idsThatNoProviderTakesAreSaidAndDropped() async {
        let bench = HookBench()
        bench.hooks.messageSent(bench.message(String(repeating: "m", count: 3000)))
        await eventually { bench.hooks.status.failed == 1 }
        guard case .notComposed = bench.hooks.status.lastFailure else { return _ = Issue.record("composed") }
        await bench.shutdown()
    }

    @Test func tooManyHooksAreDropped() async {
        let bench = HookBench(capacity: 6, capacityPerSpace: 4)
        bench.source.hold()
        for number in 1...5 { bench.hooks.messageSent(bench.message("m\(number)")) }
        for number in 6...8 { bench.hooks.messageSent(bench.message("m\(number)", space: "s2")) }
        #expect(bench.hooks.status.depth == 6)
        #expect(bench.hooks.status.dropped == 2)
        #expect(bench.events.all == [.hookDropped(spaceId: "s1"), .hookDropped(spaceId: "s2")])
        bench.source.release()
        let ids = bench.messageIds(await bench.notifications(6))
        #expect(ids.sorted() == ["m1", "m2", "m3", "m4", "m6", "m7"])
        #expect(await bench.hooks.drain(timeout: .seconds(1)))
        await bench.shutdown()
    }

    @Test func aFullQueueIsNoted() async {
        let bench = HookBench(queueCapacity: 1)
        await bench.sender.hold()
        for number in 1...2 { bench.hooks.messageSent(bench.message("m\(number)")) }
        await eventually { bench.hooks.status.failed == 1 }
        #expect(bench.hooks.status.lastFailure == .queueFull)
        await bench.sender.release()
        await bench.shutdown()
    }

    @Test func aDrainWaitsForItsTimeAtMost() async {
        let bench = HookBench()
        bench.source.hold()
        bench.hooks.messageSent(bench.message("m1"))
        await bench.clock.sleepers(1)
        async let isDrained = bench.hooks.drain(timeout: .seconds(3))
        await bench.clock.sleepers(2)
        bench.clock.advance(by: .seconds(3))
        #expect(await !isDrained)
        async let isDrainedNow = bench.hooks.drain(timeout: .seconds(3))
        bench.source.release()
        #expect(await isDrainedNow)
        await bench.shutdown()
    }

    @Test func aShutdownLeavesNothingRunning() async {
        let bench = HookBench()
        bench.source.hold()
        for number in 1...3 { bench.hooks.messageSent(bench.message("m\(number)")) }
        await bench.clock.sleepers(1)
        await bench.hooks.shutdown()
        #expect(bench.hooks.status.abandoned == 3 && bench.hooks.status.depth == 0)
        #expect(bench.clock.sleeperCount == 0)
        bench.hooks.messageSent(bench.message("m4"))
        #expect(bench.hooks.status.dropped == 1)
        #expect(bench.events.all == [])
        #expect(await bench.sender.sent == [])
        await bench.shutdown()
    }

    @Test func noTextIsWrittenAnywhere() async {
        let bench = HookBench()
        let message = bench.message("m1")
        var dumped = "\(message) \(String(reflecting: message))"
        dump(message, to: &dumped)
        #expect(dumped.contains("m1") && !dumped.contains("a secret"))
        bench.source.setKeys(nil)
        bench.hooks.messageSent(message)
        await eventually { bench.hooks.status.failed == 1 }
        #expect(!"\(bench.hooks.status) \(bench.events.all)".contains("a secret"))
        await bench.shutdown()
    }
}
