import AnySyncWire
import FoundationEssentials
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage
import Testing

@testable import PushNodeServer

/// A store whose files are taken away while the node runs.
@Suite struct StoreMovedTests {
    private let directory: TemporaryDirectory
    private let space = TestSpace()
    private let member = Member()
    private var path: String { directory.file("data/node.db") }

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.file("data"), withIntermediateDirectories: false)
    }

    /// Ways to take a store away.
    enum Removal: CaseIterable {
        case folder, file, log, replaced, moved
    }

    @Test(arguments: Removal.allCases) func nothingIsAcceptedIntoNothing(removal: Removal) async throws {
        let events = EventLog()
        var configuration = NodeConfiguration(storePath: path, forwarders: [.ios: RecordingForwarder()])
        configuration.onEvent = events.add
        let node = try await NodeCore.start(configuration)
        try await call(.subscribeAll, at: node)
        try take(removal)
        for _ in 0..<20 {
            for rpc in [PushRPC.subscribeAll, .subscriptions] {
                let refusal = await #expect(throws: Refusal.self) { try await call(rpc, at: node) }
                #expect(refusal?.reason == .storeFailed)
                #expect(refusal?.rpcError.code == PushErrorCode.unexpected.rawValue)
            }
        }
        #expect(await node.status.store?.isInPlace == false)
        #expect(events.events.filter { "\($0)".contains("removed, moved or replaced") }.count == 1)
        if removal == .moved {
            try FileManager.default.moveItem(atPath: directory.file("elsewhere"), toPath: directory.file("data"))
            try await call(.subscribeAll, at: node)
            #expect(await node.status.store?.isInPlace == true)
            #expect(events.events.contains { "\($0)".contains("is back") })
        }
        await node.stop(drain: .zero)
    }

    @Test func whatIsRemovedWhileItIsCommittedIsNotAnsweredOk() async throws {
        let store = try await SQLiteStore.open(path: path, lanes: [.ios], now: TestClock.start)
        let (file, folder) = (path, directory.file("data"))
        await #expect(throws: StoreError.moved(path: file)) {
            try await store.change { connection throws(SQLiteError) in
                try connection.execute("CREATE TABLE late (a)")
                try? FileManager.default.removeItem(atPath: folder)
            }
        }
        await store.close()
    }

    @Test func deliveriesOfWhatWasAcceptedGoOn() async throws {
        let store = try await SQLiteStore.open(path: path, lanes: [.ios], now: TestClock.start)
        try take(.folder)
        try await store.change(durable: false) { connection throws(SQLiteError) in
            try connection.execute("CREATE TABLE late (a)")
        }
        await store.close()
    }

    @Test func aStoreBelongsToTheNodeThatUsedItFirst() async throws {
        let (owner, other) = (PeerId(publicKey: SigningKey().publicKey), PeerId(publicKey: SigningKey().publicKey))
        do {
            // As the version before made it.
            var older = StoreFile.node(path: path)
            older.migrations.removeSubrange(2...)
            _ = try older.open()
        }
        for _ in 0..<2 {
            try await open(owner).close()
        }
        let error = StoreError.otherOwner(path: path, owner: "the node \(owner), and this is \(other)")
        await #expect(throws: error) { try await open(other) }
    }

    private func open(_ owner: PeerId) async throws -> SQLiteStore {
        try await SQLiteStore.open(
            path: path, owner: owner, expecting: .exists(remedy: ""), clock: TestClock(), QueueRecovery(lanes: [.ios])
        ).store
    }

    private func take(_ removal: Removal) throws {
        let files = FileManager.default
        switch removal {
        case .folder: try files.removeItem(atPath: directory.file("data"))
        case .file: try files.removeItem(atPath: path)
        case .log: try files.removeItem(atPath: path + "-wal")
        case .replaced:
            try files.copyItem(atPath: path, toPath: path + ".copy")
            try files.removeItem(atPath: path)
            try files.moveItem(atPath: path + ".copy", toPath: path)
        case .moved: try files.moveItem(atPath: directory.file("data"), toPath: directory.file("elsewhere"))
        }
    }

    private func call(_ rpc: PushRPC, at node: NodeCore) async throws {
        let request =
            switch rpc {
            case .subscriptions: SubscriptionsRequest().encoded()
            default: TopicsMessage(topics: space.topics("chats")).encoded()
            }
        _ = try await node.service.handle(rpc.rawValue, request: request, caller: member.caller)
    }
}
