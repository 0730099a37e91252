import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

@Suite struct DataRootTests {
    private let folder: TemporaryDirectory
    private var root: DataRoot { DataRoot(path: folder.path) }

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func addAccount() throws -> String {
        try Wallet.create(in: root, passkey: nil).wallet.keys.accountId
    }

    @discardableResult
    private func addFlatAccount() throws -> String {
        try Wallet.create(in: root, path: folder.path("wallet.key"), passkey: nil).wallet.keys.accountId
    }

    @Test func thereIsNoAccountBeforeTheFirst() throws {
        #expect(try DataRoot(path: folder.path("none")).accounts() == [])
        #expect(throws: DataRoot.SelectionError.noAccount(root: folder.path)) { try root.select() }
    }

    @Test func theOnlyAccountIsChosen() throws {
        let id = try addAccount()
        let selection = try root.select()
        #expect(selection.accountId == id)
        #expect(selection.walletPath == folder.path("\(id)/wallet.key"))
        #expect(selection.directory.path == folder.path(id))
    }

    @Test func severalAccountsAreListedAndNoneIsGuessed() throws {
        let ids = try [addAccount(), addAccount(), addAccount()].sorted()
        #expect(try root.accounts().map(\.id) == ids)
        #expect(throws: DataRoot.SelectionError.severalAccounts(root: folder.path, ids: ids)) { try root.select() }
        #expect(try root.select(accountId: ids[1]).directory.path == folder.path(ids[1]))
    }

    @Test func anAccountThatLostItsWalletIsNotPassedOver() throws {
        let (lost, other) = (try addAccount(), try addAccount())
        let directory = AccountDirectory(path: folder.path(lost))
        try directory.create()
        try folder.write("", to: "\(lost)/sdk/account.db")
        #expect(try SecretFile(path: directory.walletPath).remove())
        let error = DataRoot.SelectionError.lostWallet(directory: directory.path)
        #expect(throws: error) { try root.select() }
        #expect(throws: error) { try root.select(accountId: lost) }
        #expect("\(error)".contains("--mnemonic-stdin"))
        #expect(try root.select(accountId: other).accountId == other)
        // One that a host manages has no wallet.
        try folder.write("", to: "\(lost)/device.key")
        #expect(try root.select().accountId == other)
    }

    @Test func aWalletAtTheRootIsTheDefault() throws {
        let other = try addAccount()
        let flat = try addFlatAccount()
        let accounts = try root.accounts()
        #expect(accounts.map(\.id) == [flat, other])
        #expect(accounts.map(\.isDefault) == [true, false])
        #expect(try root.select().directory.path == folder.path)
        #expect(try root.select(accountId: flat).walletPath == folder.path("wallet.key"))
        #expect(try root.select(accountId: other).directory.path == folder.path(other))
    }

    @Test func aRootWalletThatDoesNotTellMayBeTheOneAskedFor() throws {
        try folder.write("{}", to: "wallet.key")
        let id = SigningKey().publicKey.accountAddress
        #expect(try root.accounts().map(\.id) == [nil])
        #expect(try root.select(accountId: id).accountId == id)
        #expect(try root.select().accountId == nil)
    }

    @Test func anAccountThatIsNotHereIsSaid() throws {
        _ = try addAccount()
        let id = SigningKey().publicKey.accountAddress
        #expect(throws: DataRoot.SelectionError.unknownAccount(id: id, root: folder.path)) {
            try root.select(accountId: id)
        }
    }

    @Test(arguments: ["", "..", "../other", "A", "/etc"])
    func onlyAnAccountIdNamesADirectory(text: String) throws {
        #expect(throws: DataRoot.SelectionError.notAnAccountId(text)) { try root.select(accountId: text) }
    }

    @Test func foldersThatAreNoAccountsAreLeftOut() throws {
        let id = try addAccount()
        for name in ["models", "A123", SigningKey().publicKey.accountAddress] {
            try Folder.create(folder.path(name))
        }
        try folder.write("", to: "models/wallet.key")
        try folder.write("", to: SigningKey().publicKey.accountAddress)
        #expect(try root.accounts().map(\.id) == [id])
    }

    @Test func aWalletElsewhereCountsAndItsFilesAreAtTheRoot() throws {
        _ = try addAccount()
        let selection = try root.select(walletPath: "/keys/w")
        #expect(
            selection == DataRoot.Selection(walletPath: "/keys/w", directory: .init(path: folder.path), accountId: nil))
    }
}
