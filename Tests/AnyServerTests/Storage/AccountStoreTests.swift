import Glibc
import PushCrypto
import SQLiteStorage
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

@Suite struct AccountStoreTests {
    @Test func theFileIsInTheAccountsFolderAndPrivate() async throws {
        let account = try await TestAccount()
        #expect(account.folder.mode("account/sdk") == 0o700)
        for name in ["account.db", "account.db-wal"] {
            #expect(account.folder.mode("account/sdk/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func whatWasWrittenIsThereAfterReopening() async throws {
        let account = try await TestAccount()
        try await account.store.setProfileName("Ada")
        let space = try await account.store.createSpace(name: "Garden", description: "Beds", iconCid: "bafy")
        try await account.store.patchSettings(of: space.id, set: ["notifyMode": "none", "n": 1, "x": 1.5, "b": true])
        let before = try await account.store.space(space.id)
        let store = try await account.reopened()
        #expect(try await store.space(space.id) == before)
        #expect(try await store.profileName() == "Ada")
        #expect(before.push != nil)
        try await store.rotateReadKey(of: space.id)
        #expect(try await store.space(space.id).push?.encKeyId != before.push?.encKeyId)
    }

    @Test func anotherAccountsStoreIsRefused() async throws {
        let account = try await TestAccount()
        await account.store.close()
        let other = AccountKeys(accountKey: SigningKey(), deviceKey: SigningKey())
        let owner = "the account \(account.keys.accountId), and this is \(other.accountId)"
        await #expect(throws: StoreError.otherOwner(path: account.path, owner: owner)) {
            _ = try await AccountStore.open(.account(in: account.directory), keys: other, now: { 0 }, sink: { _ in })
        }
        _ = try await account.reopened()
    }

    @Test func aStoreInUseIsRefused() async throws {
        let account = try await TestAccount()
        await #expect(throws: StoreError.inUse(path: account.path)) {
            _ = try await AccountStore.open(
                .account(in: account.directory), keys: account.keys, now: { 0 }, sink: { _ in }
            )
        }
    }

    @Test func aNewerSchemaIsRefusedByNameAndLeftAlone() async throws {
        let account = try await TestAccount()
        await account.store.close()
        do {
            try StoreFile.account(in: account.directory).open().execute("PRAGMA user_version = 99")
        }
        let before = try account.folder.bytes("account/sdk/account.db")
        let supported = AccountSchema.migrations.count
        let expected = StoreError.newerSchema(path: account.path, found: 99, supported: supported)
        for _ in 0..<2 {
            await #expect(throws: expected) { _ = try await account.reopened() }
        }
        #expect(expected.description.contains(account.path) && expected.description.contains("99"))
        #expect(try account.folder.bytes("account/sdk/account.db") == before)
    }

    @Test(arguments: ["not a database at all, just text that somebody saved here by mistake", ""])
    func aFileThatIsNoDatabase(_ text: String) async throws {
        let account = try await TestAccount()
        await account.store.close()
        try account.folder.write(text, to: "account/sdk/account.db")
        for name in ["account.db-wal", "account.db-shm"] { unlink(account.directory.dataPath + "/" + name) }
        guard !text.isEmpty else {
            // An empty file is what a new store begins with.
            #expect(try await account.reopened().spaces() == [])
            return
        }
        await #expect(throws: StoreError.notADatabase(path: account.path)) { _ = try await account.reopened() }
        #expect(try account.folder.text("account/sdk/account.db") == text)
    }

    @Test func aDamagedFileIsRefusedAndLeftAlone() async throws {
        let account = try await TestAccount()
        for number in 0..<30 { _ = try await account.store.createSpace(name: "\(number)") }
        await account.store.close()
        var bytes = try account.folder.bytes("account/sdk/account.db")
        #expect(bytes.count > 8 * 4096)
        for page in stride(from: 2 * 4096, to: bytes.count, by: 4096) { bytes[page] = 0x77 }
        try account.folder.write(bytes, to: "account/sdk/account.db")
        for _ in 0..<2 {
            await #expect {
                _ = try await account.reopened()
            } throws: { error in
                guard case .corrupt(account.path, _) = error as? StoreError else { return false }
                return true
            }
        }
        #expect(try account.folder.bytes("account/sdk/account.db") == bytes)
    }

    @Test func noPathReachesAClient() {
        let path = "/home/ada/.any/A5/sdk/account.db"
        let errors: [StoreError] = [
            .cannotOpen(path: path, reason: path), .pathTooLong(path: path, limit: 1, found: 2),
            .notWritable(path: path, reason: "r"), .inUse(path: path),
            .notADatabase(path: path), .foreign(path: path), .otherOwner(path: path, owner: "o"),
            .lost(path: path, remedy: "r"), .moved(path: path),
            .newerSchema(path: path, found: 2, supported: 1), .corrupt(path: path, detail: path), .full(path: path),
            .failed(path: path, reason: path), .closed,
        ]
        for error in errors {
            #expect(!error.apiError.message.contains("/"), "\(error)")
            #expect(error.apiError.code.status.code >= 500)
            #expect(error == .closed || error.description.contains(path))
        }
    }

    @Test func aFullDiskFailsTheWriteAndKeepsTheRest() async throws {
        let account = try await TestAccount()
        let space = try await account.store.createSpace(name: "kept")
        let store = try await account.reopened(maximumPages: 40)
        var failed = false
        for number in 0..<40 where !failed {
            do {
                _ = try await store.createSpace(name: String(repeating: "\(number % 10)", count: 4000))
            } catch {
                #expect(error as? StoreError == .full(path: account.path))
                failed = true
            }
        }
        #expect(failed)
        let rows = try await store.spaces()
        #expect(rows.first?.id == space.id)
        try await store.patchSettings(of: space.id, set: ["a": 1])
        await store.close()
        let again = try await AccountStore.open(
            .account(in: account.directory), keys: account.keys, now: { 0 }, sink: { _ in }
        )
        #expect(try await again.spaces().map(\.id) == rows.map(\.id))
        #expect(try await again.space(space.id).settings == ["a": .integer(1)])
    }

    /// SQLite itself would say that it is unable to open the file.
    @Test func aPathThatIsTooLongIsNamedSo() async throws {
        let folder = try TemporaryDirectory()
        var path = folder.path
        while path.utf8.count < 500 { path += "/" + String(repeating: "d", count: 100) }
        let directory = AccountDirectory(path: path)
        try directory.create()
        let keys = AccountKeys(accountKey: SigningKey(), deviceKey: SigningKey())
        let store = path + "/sdk/account.db"
        let error = await #expect(throws: StoreError.self) {
            _ = try await AccountStore.open(.account(in: directory), keys: keys, now: { 0 }, sink: { _ in })
        }
        guard case .pathTooLong(store, limit: 504, found: let found)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found >= store.utf8.count)
        #expect(error?.description.contains("SQLite opens up to 504") == true)
        #expect(access(store, F_OK) != 0, "nothing was made")
    }

    /// As long as SQLite takes.
    @Test func thePathMayBeAsLongAsSQLiteTakes() async throws {
        let folder = try TemporaryDirectory()
        var path = try Folder.real(folder.path)
        let rest = 504 - "/sdk/account.db".utf8.count
        while path.utf8.count + 102 < rest { path += "/" + String(repeating: "d", count: 100) }
        path += "/" + String(repeating: "e", count: rest - path.utf8.count - 1)
        let directory = AccountDirectory(path: path)
        try directory.create()
        let keys = AccountKeys(accountKey: SigningKey(), deviceKey: SigningKey())
        let store = try await AccountStore.open(.account(in: directory), keys: keys, now: { 0 }, sink: { _ in })
        _ = try await store.createSpace(name: "deep")
        await store.close()
    }

    @Test func aClosedStoreSaysSo() async throws {
        let account = try await TestAccount()
        await account.store.close()
        await #expect(throws: StoreError.closed) { _ = try await account.store.spaces() }
        await #expect(throws: StoreError.closed) { _ = try await account.store.createSpace() }
    }

    @Test func theFileGivesNoKeyAway() async throws {
        let account = try await TestAccount()
        let space = try await account.store.createSpace(name: "Garden")
        let push = try #require(space.push)
        await account.store.close()
        let text = String(decoding: try account.folder.bytes("account/sdk/account.db"), as: UTF8.self)
        #expect(!text.contains(push.encKey) && !text.contains(push.spaceKey))
        #expect(!"\(space)".contains(push.encKey) && !"\(space)".contains("Garden"))
    }
}
