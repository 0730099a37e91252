import Foundation
import Locks
import PushCrypto
import SQLiteStorage
import TestSupport

@testable import AnyServer

/// An account with a store in a folder of its own.
final class TestAccount: Sendable {
    let folder: TemporaryDirectory
    let keys: AccountKeys
    let store: AccountStore
    private let recorded: SystemLock<[AccountEvent]>
    private let time: SystemLock<Int64>

    init(
        _ keys: AccountKeys = AccountKeys(accountKey: SigningKey(), masterKey: SigningKey(), deviceKey: SigningKey()),
        logLimits: SpaceLogLimits = SpaceLogLimits()
    ) async throws {
        let folder = try TemporaryDirectory()
        let recorded = SystemLock<[AccountEvent]>([])
        let time = SystemLock<Int64>(1_700_000_000_000)
        let directory = AccountDirectory(path: folder.path("account"))
        try directory.create()
        store = try await AccountStore.open(
            .account(in: directory), keys: keys, logLimits: logLimits,
            now: {
                time.withLock { time in
                    time += 1
                    return time
                }
            },
            sink: { event in recorded.withLock { $0.append(event) } }
        )
        (self.folder, self.keys, self.recorded, self.time) = (folder, keys, recorded, time)
    }

    var identity: PublicKey { keys.accountKey.publicKey }
    var id: String { keys.accountId }
    var directory: AccountDirectory { AccountDirectory(path: folder.path("account")) }
    var path: String { directory.dataPath + "/account.db" }

    /// The events since the last call, as text.
    func events() -> [String] {
        recorded.withLock { events in
            defer { events = [] }
            return events.map { "\($0)" }
        }
    }

    /// The store after it was closed and opened again.
    ///
    /// - Parameter maximumPages: how large it may grow, in pages of 4096 bytes.
    func reopened(maximumPages: Int? = nil) async throws -> AccountStore {
        await store.close()
        var file = StoreFile.account(in: directory)
        file.maximumPages = maximumPages
        return try await AccountStore.open(file, keys: keys, now: { 0 }, sink: { _ in })
    }

    /// A space's whole export.
    func export(_ id: String) async throws -> [JSONObject] {
        try await AnyServerTests.export(id, of: store)
    }

    /// Takes another account's export of a space.
    @discardableResult
    func take(_ id: String, from other: TestAccount) async throws -> AccountStore.ImportResult {
        try await store.importLines(try await other.export(id))
    }

    /// Takes a record of a space that another account writes by other means than its store.
    @discardableResult
    func take(_ id: String, adding change: ACLChange, by author: TestAccount) async throws -> AccountStore.ImportResult
    {
        let records = try await store.aclRecords(of: id, from: 0, limit: .max)
        var log = try ACLLog(records: records, account: author.keys.accountKey, mode: .full)
        let record = try log.makeRecord([change], timestamp: 1)
        var space = try await export(id)[0]
        space["records"] = .integer(Int64(records.count + 1))
        return try await store.importLines([space, ExportLine.record(position: records.count, record).json])
    }
}

/// A space's whole export.
func export(_ id: String, of store: AccountStore) async throws -> [JSONObject] {
    var lines: [JSONObject] = []
    var cursor: String?
    repeat {
        let page = try await store.exportPage(of: id, cursor: cursor)
        lines += page.lines
        cursor = page.next
    } while cursor != nil
    return lines
}

extension TemporaryDirectory {
    /// The bytes of a file inside.
    func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    /// Writes bytes over a file inside.
    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    }
}
