import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// What the account's devices are told of a reading, and when.
@Suite(.timeLimit(.minutes(1))) struct ReadHooksTests {
    // As the golden rules have it: the account's own topic, the chat's group id, and the message that the node hands on.
    @Test func aReadIsSilentAndForTheAccountItself() async throws {
        let bench = HookBench()
        bench.hooks.chatRead(bench.reading("c1", upTo: "m7", at: 1_700_000_000_123))
        #expect(await bench.hooks.drain(timeout: .seconds(1)))
        let sent = try #require(await bench.notifications(1).first)
        #expect(sent.kind == .silent)
        #expect(sent.topics == [bench.account.publicKey.accountAddress])
        #expect(sent.request.groupId.string == GroupId(chatId: "c1").text)
        let sender = WireString(bench.account.publicKey.accountAddress)
        #expect(
            try bench.read(sent)
                == ReadPayload(
                    spaceId: "s1", senderId: sender, chatId: "c1", lastMessageId: "m7", readAt: 1_700_000_000_123)
        )
        // One that knows messages only makes none of it.
        let keys = try #require(bench.source.keys)
        let json = try keys.encryptionKey.open(sent.request.message?.payload ?? [])
        #expect(throws: PayloadError.malformed(reason: "no field newMessage")) { try ChatPayload(json: json) }
        await bench.shutdown()
    }

    @Test func readingsOfAChatWaitAndAreOne() async throws {
        let bench = HookBench()
        bench.hooks.chatRead(bench.reading("c1", upTo: "m1", at: 10))
        bench.hooks.chatRead(bench.reading("c1", upTo: "m3", at: 30))
        bench.hooks.chatRead(bench.reading("c1", upTo: "m2", at: 20))
        bench.hooks.chatRead(bench.reading("c2", upTo: "n1", at: 15))
        await bench.clock.sleepers(2)
        #expect(bench.hooks.status.depth == 2)
        bench.clock.advance(by: .seconds(5) - .milliseconds(1))
        #expect(bench.hooks.status.enqueued == 0)
        bench.clock.advance(by: .milliseconds(1))
        let sent = try await bench.notifications(2).map(bench.read)
        #expect(Set(sent.map(\.lastMessageId)) == ["m3", "n1"])
        // The next one waits for a time of its own.
        bench.hooks.chatRead(bench.reading("c1", upTo: "m4", at: 40))
        await bench.clock.sleepers(1)
        bench.clock.advance(by: .seconds(5))
        #expect(try await bench.notifications(3).map(bench.read).last?.lastMessageId == "m4")
        await bench.shutdown()
    }

    @Test func messagesDoNotWaitForAReading() async {
        let bench = HookBench()
        bench.hooks.chatRead(bench.reading())
        bench.hooks.messageSent(bench.message("m1"))
        #expect(bench.messageIds(await bench.notifications(1)) == ["m1"])
        await bench.shutdown()
    }

    @Test func aDrainTellsAtOnceWhatWaits() async throws {
        let bench = HookBench()
        bench.hooks.chatRead(bench.reading("c1"))
        bench.hooks.chatRead(bench.reading("c2"))
        #expect(await bench.hooks.drain(timeout: .seconds(1)))
        #expect(try await bench.notifications(2).map(bench.read).map(\.chatId) == ["c1", "c2"])
        // The timer that was set for one finds nothing to tell, nor tells what came for the same chat later.
        bench.hooks.chatRead(bench.reading("c1", upTo: "later", at: 2))
        await bench.clock.sleepers(3)
        #expect(bench.hooks.status.depth == 1)
        await bench.shutdown()
        #expect(bench.hooks.status.abandoned == 1 && bench.hooks.status.depth == 0)
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test func readingsAreBoundedAndNoneIsLost() async throws {
        let bench = HookBench(waitingReads: 2)
        for chat in ["c1", "c2", "c3", "c1"] { bench.hooks.chatRead(bench.reading(chat)) }
        #expect(try await bench.notifications(1).map(bench.read).map(\.chatId) == ["c3"])
        await bench.shutdown()
    }

    @Test func theWaitIsRandomWithinItsBounds() {
        let bounds = PushHooks.Limits().readDelay
        let delays = (0..<200).map { _ in PushHooks.anyDuration(within: bounds) }
        #expect(delays.allSatisfy(bounds.contains))
        #expect(Set(delays).count > 1)
        #expect(PushHooks.anyDuration(within: .zero...Duration.zero) == .zero)
    }
}
