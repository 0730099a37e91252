import PushCrypto
import SQLiteStorage
import Testing

@testable import AnyServer

@Suite struct ChatScaleTests {
    /// What calls cost the store, in steps of SQLite's machine.
    private struct Costs {
        let list: Int
        let older: Int
        let send: Int
        let read: Int
    }

    private func costs(_ bench: ChatBench, _ chatId: String) async throws -> Costs {
        let store = bench.owner.store
        func steps(_ body: () async throws -> Void) async throws -> Int {
            let before = try await store.read { $0.steps }
            try await body()
            return try await store.read { $0.steps } - before
        }
        let newest = try await store.messages(MessageQuery(limit: 50), in: chatId, of: bench.spaceId).messages
        let last = try #require(newest.last)
        #expect(newest.count == 50)
        return Costs(
            list: try await steps {
                _ = try await store.messages(MessageQuery(limit: 50), in: chatId, of: bench.spaceId)
            },
            older: try await steps {
                let query = MessageQuery(before: last.versionId, limit: 50)
                _ = try await store.messages(query, in: chatId, of: bench.spaceId)
            },
            send: try await steps { try await bench.send("one more", by: bench.owner, in: chatId) },
            read: try await steps { try await store.markRead(upTo: newest[0].id, in: chatId, of: bench.spaceId) }
        )
    }

    @Test func aLongChatCostsWhatAShortOneDoes() async throws {
        let bench = try await ChatBench()
        let store = bench.owner.store
        let short = try await store.createChat(name: "short", in: bench.spaceId).id
        let long = try await store.createChat(name: "long", in: bench.spaceId).id
        try await store.fill(short, of: bench.spaceId, with: 120)
        try await store.fill(long, of: bench.spaceId, with: 4000)
        let (little, much) = (try await costs(bench, short), try await costs(bench, long))
        // What depended on the number of messages would cost thirty times as much.
        #expect(little.list > 50 && little.older > 50 && little.send > 0 && little.read > 0)
        #expect(much.list < 2 * little.list)
        #expect(much.older < 2 * little.older)
        #expect(much.send < 2 * little.send)
        #expect(much.read < 2 * little.read)
    }
}
