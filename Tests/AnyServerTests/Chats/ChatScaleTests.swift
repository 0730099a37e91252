import Foundation
import PushCrypto
import Testing

@testable import AnyServer

@Suite struct ChatScaleTests {
    /// The best time of several, in microseconds: what it costs when nothing else runs.
    private func best(_ body: () async throws -> Void) async throws -> Double {
        var best = Duration.seconds(60)
        for _ in 0..<15 { best = min(best, try await ContinuousClock().measure { try await body() }) }
        return best / .microseconds(1)
    }

    private struct Costs {
        let list: Double
        let older: Double
        let send: Double
        let read: Double
        let chats: Double
    }

    private func costs(_ bench: ChatBench, _ chatId: String) async throws -> Costs {
        let store = bench.owner.store
        let newest = try await store.messages(MessageQuery(limit: 50), in: chatId, of: bench.spaceId).messages
        let last = try #require(newest.last)
        #expect(newest.count == 50)
        return Costs(
            list: try await best {
                _ = try await store.messages(MessageQuery(limit: 50), in: chatId, of: bench.spaceId)
            },
            older: try await best {
                let query = MessageQuery(before: last.versionId, limit: 50)
                _ = try await store.messages(query, in: chatId, of: bench.spaceId)
            },
            send: try await best { try await bench.send("one more", by: bench.owner, in: chatId) },
            read: try await best { try await store.markRead(upTo: newest[0].id, in: chatId, of: bench.spaceId) },
            chats: try await best { _ = try await store.chats(of: bench.spaceId) }
        )
    }

    /// Set `ANYPUSH_CHAT_MESSAGES` for a longer chat; the costs are printed then.
    @Test func aLongChatIsAsQuickAsAShortOne() async throws {
        let wanted = ProcessInfo.processInfo.environment["ANYPUSH_CHAT_MESSAGES"].flatMap { Int($0) }
        let bench = try await ChatBench()
        let store = bench.owner.store
        let short = try await store.createChat(name: "short", in: bench.spaceId).id
        let long = try await store.createChat(name: "long", in: bench.spaceId).id
        try await store.fill(short, of: bench.spaceId, with: 120)
        try await store.fill(long, of: bench.spaceId, with: wanted ?? 4000)
        let (little, much) = (try await costs(bench, short), try await costs(bench, long))
        if wanted != nil { print("short \(little)\nlong \(much)") }
        // Thirty times the messages: what depended on their number would be far beyond.
        #expect(much.list < 5 * little.list)
        #expect(much.older < 5 * little.older)
        #expect(much.send < 5 * little.send)
        #expect(much.read < 5 * little.read)
    }
}
