import FoundationEssentials
import PushCrypto
import SQLiteStorage
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

/// A server whose account lacks its store.
@Suite struct LostStoreTests {
    private let folder: TemporaryDirectory
    private let directory: AccountDirectory
    private var root: String { folder.path("data") }
    private let files = FileManager.default

    init() throws {
        folder = try TemporaryDirectory()
        let wallet = try Wallet.create(in: DataRoot(path: folder.path("data")), passkey: nil).wallet
        directory = DataRoot(path: folder.path("data")).directory(of: wallet.keys.accountKey.publicKey)
    }

    @Test func aStoreThatIsLostIsNotTakenForFresh() async throws {
        try await run()
        #expect(!directory.startAnew.isSet)
        try files.removeItem(atPath: directory.storePath)
        try await expectRefusal()
        #expect(!files.fileExists(atPath: directory.storePath))
        #expect(files.createFile(atPath: directory.storePath, contents: nil))
        try await expectRefusal()
        try files.removeItem(atPath: directory.dataPath)
        try await expectRefusal()
        try directory.startAnew.set()
        try await run()
        #expect(!directory.startAnew.isSet)
    }

    @Test func aLogWithoutItsStoreIsLeftAlone() async throws {
        try await run()
        try files.removeItem(atPath: directory.storePath)
        let log = Data("the last changes".utf8)
        #expect(files.createFile(atPath: directory.storePath + "-wal", contents: log))
        try directory.startAnew.set()
        try await expectRefusal()
        #expect(files.contents(atPath: directory.storePath + "-wal") == log)
    }

    @Test func aFirstStartThatWasInterruptedIsTakenUp() async throws {
        // As a process leaves it that is killed once it has the lock, and then with an empty file.
        for store in [nil, Data()] {
            try directory.startAnew.set()
            try directory.create()
            #expect(files.createFile(atPath: directory.lockPath, contents: nil))
            if let store { #expect(files.createFile(atPath: directory.storePath, contents: store)) }
            try await run()
            try files.removeItem(atPath: directory.storePath)
        }
    }

    /// As the version before left it: no mark of any kind.
    @Test func aDirectoryOfTheVersionBeforeIsServed() async throws {
        try await run()
        #expect(try folder.names(in: "data/\(Paths.name(of: directory.path))").contains("server.lock"))
        try await run()
        // Restored from a backup of what matters.
        try files.removeItem(atPath: directory.lockPath)
        try await run()
    }

    @Test func aRunningServerWhoseStoreIsRemovedTakesNothing() async throws {
        try await withAnyServer { live in
            let directory = DataRoot(path: live.folder.path("data"))
                .directory(of: try PublicKey(accountAddress: live.server.accountId ?? ""))
            #expect(try await live.request("POST", "/v1/spaces", body: #"{"name":"A"}"#).status == 201)
            try files.removeItem(atPath: directory.dataPath)
            let response = try await live.request("POST", "/v1/spaces", body: #"{"name":"B"}"#)
            #expect(response.status == 500)
            #expect(response.json?.object?.object("error")?.string("message")?.contains("removed or moved") == true)
        }
    }

    private func run() async throws {
        let server = try await AnyServer.start(try LiveServer.options(in: root))
        await server.stop()
    }

    private func expectRefusal() async throws {
        let error = await #expect(throws: AnyServerError.self) {
            try await AnyServer.start(try LiveServer.options(in: root))
        }
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("\(directory.storePath) is missing or empty") && text.contains("restore it"), "\(text)")
    }
}
