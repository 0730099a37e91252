import Glibc
import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

@Suite struct WalletTests {
    static let phrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
    // Cheap, for the cost is not what is tested.
    static let cost = PasskeyBox.Cost(operations: 1, memory: 8 << 10)

    private let folder: TemporaryDirectory
    private var root: DataRoot { DataRoot(path: folder.path("root")) }

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func aNewWalletOpensWithTheKeysOfItsPhrase() throws {
        let new = try Wallet.create(in: root, passkey: nil)
        let id = new.wallet.keys.accountId
        #expect(new.phrase.split(separator: " ").count == 12)
        #expect(new.wallet.path == folder.path("root/\(id)/wallet.key"))
        let opened = try Wallet.open(path: new.wallet.path, passkey: nil, expecting: id)
        let expected = try Mnemonic(new.phrase)
        #expect(opened.accountIndex == 1)
        #expect(try opened.keys.accountKey == expected.accountKey(index: 1))
        #expect(try opened.keys.masterKey == expected.masterNode(index: 1).signingKey)
        #expect(opened.keys.deviceKey == new.wallet.keys.deviceKey)
        #expect(opened.keys.peerId == new.wallet.keys.peerId)
    }

    @Test func theWalletIsForItsOwnerOnlyInAFolderForItsOwnerOnly() throws {
        let new = try Wallet.create(in: root, passkey: nil)
        let id = new.wallet.keys.accountId
        #expect(folder.mode("root") == 0o700)
        #expect(folder.mode("root/\(id)") == 0o700)
        #expect(folder.mode("root/\(id)/wallet.key") == 0o600)
        #expect(try folder.names(in: "root/\(id)") == ["wallet.key"])
    }

    @Test func thePhraseIsNotInTheFile() throws {
        let new = try Wallet.create(in: root, passkey: nil)
        let text = try folder.text("root/\(new.wallet.keys.accountId)/wallet.key")
        for word in new.phrase.split(separator: " ") { #expect(!text.contains("\(word) ")) }
        #expect(text.contains(new.wallet.keys.accountId))
    }

    @Test func thePhraseStaysOutOfDescriptionsAndDumps() throws {
        let new = try Wallet.create(in: root, passkey: nil)
        var text = "\(new) \(String(reflecting: new))"
        dump(new, to: &text)
        #expect(!text.contains(new.phrase))
        #expect(text.contains(new.wallet.keys.accountId))
    }

    @Test func twoNewWalletsAreTwoAccounts() throws {
        let first = try Wallet.create(in: root, passkey: nil)
        let second = try Wallet.create(in: root, passkey: nil)
        #expect(first.phrase != second.phrase)
        #expect(Set(try root.accounts().map(\.id)) == [first.wallet.keys.accountId, second.wallet.keys.accountId])
    }

    @Test func restoringGivesTheSameAccountAndAnotherDevice() throws {
        let other = DataRoot(path: folder.path("other"))
        let first = try Wallet.restore(phrase: Self.phrase, in: root, passkey: nil)
        let second = try Wallet.restore(phrase: Self.phrase, in: other, passkey: nil)
        #expect(first.keys.accountId == second.keys.accountId)
        #expect(first.keys.peerId != second.keys.peerId)
    }

    @Test func theIndexChoosesTheAccount() throws {
        // tests/vectors, mnemonic: 12 x abandon..about at index 0.
        let wallet = try Wallet.restore(phrase: Self.phrase, index: 0, in: root, passkey: nil)
        #expect(wallet.keys.accountId == "A7YjXkE2tNFwjCBFmSABF3WnzKdA9dDyhHtF2pWqiqMRZ8Wy")
        #expect(try Wallet.open(path: wallet.path, passkey: nil).accountIndex == 0)
        let next = try Wallet.restore(phrase: Self.phrase, in: root, passkey: nil)
        #expect(next.keys.accountId != wallet.keys.accountId)
        #expect(throws: WalletError.badIndex(1 << 31)) {
            try Wallet.restore(phrase: Self.phrase, index: 1 << 31, in: root, passkey: nil)
        }
    }

    @Test(arguments: [
        "  \(phrase)\n", phrase.replacing(" ", with: "  "), phrase.replacing(" ", with: "\n"),
        phrase.replacing(" ", with: "\u{3000}"),
    ])
    func whiteSpaceIsNotAnotherAccount(spelling: String) throws {
        let expected = try Wallet.restore(phrase: Self.phrase, in: root, passkey: nil)
        let other = DataRoot(path: folder.path("other"))
        #expect(try Wallet.restore(phrase: spelling, in: other, passkey: nil).keys.accountId == expected.keys.accountId)
    }

    @Test func aPhraseThatIsNoneIsRefusedWithoutItsWords() throws {
        let typo = "abandom" + Self.phrase.dropFirst(7)
        let error = #expect(throws: WalletError.badPhrase(.unknownWord(position: 1))) {
            try Wallet.restore(phrase: typo, in: root, passkey: nil)
        }
        #expect(error.map { !"\($0)".contains("abandom") } == true)
        #expect(throws: WalletError.badPhrase(.wrongWordCount(0))) {
            try Wallet.restore(phrase: " \n", in: root, passkey: nil)
        }
        #expect(throws: WalletError.badPhrase(.unknownWord(position: 2))) {
            try Wallet.restore(phrase: Self.phrase.replacing(" ", with: " \u{300}"), in: root, passkey: nil)
        }
        #expect(try folder.names() == [])
    }

    @Test func aWalletThatIsThereIsNeverOverwritten() throws {
        let wallet = try Wallet.restore(phrase: Self.phrase, in: root, passkey: nil)
        let before = try SecretFile(path: wallet.path).read(limit: 4096)
        #expect(throws: WalletError.alreadyExists(path: wallet.path)) {
            try Wallet.restore(phrase: Self.phrase, in: root, passkey: nil)
        }
        let path = try folder.write("not a wallet", to: "mine")
        #expect(throws: WalletError.alreadyExists(path: path)) { try Wallet.create(in: root, path: path, passkey: nil) }
        #expect(try folder.text("mine") == "not a wallet")
        #expect(try SecretFile(path: wallet.path).read(limit: 4096) == before)
    }

    @Test func aWalletElsewhereIsWrittenThereOnly() throws {
        let new = try Wallet.create(in: root, path: folder.path("keys/w"), passkey: nil)
        #expect(new.wallet.path == folder.path("keys/w"))
        #expect(folder.mode("keys") == 0o700)
        #expect(folder.mode("root") == nil)
    }

    @Test func aWalletOfAnotherAccountIsNotTakenForTheOneAskedFor() throws {
        let mine = try Wallet.create(in: root, passkey: nil).wallet
        let other = try Wallet.create(in: root, passkey: nil).wallet
        #expect(
            throws: WalletError.otherAccount(
                path: mine.path, expected: other.keys.accountId, found: mine.keys.accountId
            )
        ) { try Wallet.open(path: mine.path, passkey: nil, expecting: other.keys.accountId) }
    }

    @Test func aMissingWalletIsSaidToBeMissing() throws {
        let path = folder.path("wallet.key")
        #expect(throws: WalletError.notFound(path: path)) { try Wallet.open(path: path, passkey: nil) }
    }

    @Test func aWalletThatOthersCanReadIsRefused() throws {
        let path = try Wallet.create(in: root, passkey: nil).wallet.path
        chmod(path, 0o640)
        #expect(throws: WalletError.file(.openToOthers(path: path, mode: 0o640))) {
            try Wallet.open(path: path, passkey: nil)
        }
    }

    @Test(arguments: [FileStep.createTemporary, .write, .synchronize, .publish, .synchronizeFolder])
    func aDiskThatIsFullLeavesNoWalletAndSaysSo(step: FileStep) throws {
        let (masterKey, accountKey) = try AccountKeys.derive(phrase: Self.phrase, index: 1)
        let content = WalletFile.Content(
            accountIndex: 1, masterKey: masterKey, accountKey: accountKey, deviceKey: SigningKey()
        )
        let file = SecretFile(path: folder.path("wallet.key")) { $0 == step ? ENOSPC : nil }
        #expect(throws: WalletError.file(.failed(step, path: file.path, code: ENOSPC))) {
            try Wallet.create(content, file: file, passkey: nil)
        }
        #expect(try folder.names() == [])
    }
}
