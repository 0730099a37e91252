import FoundationEssentials
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// The example of the article "Embedding push" does what the article says, and the article shows that example.
@Suite(.timeLimit(.minutes(5))) struct ExampleHostTests {
    @Test func theExampleSendsAndMutes() async throws {
        let node = try await TestNode()
        let bob = try await HostedAccount(at: node, phone: "bob's phone")
        let account = SigningKey()
        let space = try MemberedSpace(owner: account)
        try space.add(bob.account)
        let events = EventLog()
        let host = ExampleHost(
            account: account, device: SigningKey(), node: await node.location, tokens: MemoryPersistence(),
            log: { events.append($0) }
        )
        let phone = Phone(token: "ada's phone", tray: node.tray)
        let row = DirectorySpace(id: space.id, name: "Lovelace", isActive: true, isOwned: true)

        // The chats are not loaded yet, so nothing is heard of them.
        await host.spaces.put(ExampleSpaces.Space(row: row, records: space.records, chats: nil))
        try await host.push.start()
        try await host.push.setToken(DeviceToken(platform: .ios, token: phone.token))
        await eventually { await host.push.status.activity?.reconciler.last != nil }
        #expect(try await host.push.subscriptions() == [])

        let chat = DirectoryChat(id: "general", name: "General")
        await host.spaces.put(ExampleSpaces.Space(row: row, records: space.records, chats: [chat]))
        await eventually { await host.push.status.activity?.reconciler.last?.isLanded == true }
        bob.directory.put(space)
        bob.phone.see(try space.keys, of: space.id, by: bob.identity)
        phone.see(try space.keys, of: space.id, by: account.publicKey)
        try await bob.push.start()
        try await bob.register()
        await bob.settle()

        host.send("hello", as: "m1", to: "general", in: space.id)
        await eventually { bob.phone.count == 1 }
        #expect(bob.phone.shown == ["Lovelace: hello"])
        bob.push.messageSent(bob.message("m2", "hello yourself", in: space))
        await eventually { phone.count == 1 }
        #expect(phone.shown == ["Space: hello yourself"])

        await host.mute(space.id)
        await eventually { (try? await host.push.subscriptions()) == [] }
        await host.push.stop(grace: .seconds(5))
        await bob.push.stop()
        await node.stop()
    }

    @Test func theArticleShowsTheExample() throws {
        let article = try Self.text("Sources/PushNode/PushNode.docc/EmbeddingPush.md")
        let example = try Self.text("Tests/PushNodeTests/Embedding/ExampleHost.swift")
        let blocks = article.split(separator: "```", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { $0.element.drop { $0 != "\n" }.dropFirst() }
        #expect(blocks.count == 2)
        for block in blocks { #expect(example.contains(block), "not in the example:\n\(block)") }
    }

    private static func text(_ path: String) throws -> String {
        let data = try Data(contentsOf: Repository.root.appendingPathComponent(path))
        return String(decoding: data, as: UTF8.self)
    }
}
