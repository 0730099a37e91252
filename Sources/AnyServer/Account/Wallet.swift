import PushCrypto
import SecretFiles

/// The file that holds an account's keys on the machine of its owner (`wallet.key`).
///
/// A wallet is made once and never written again.
public struct Wallet: Sendable {
    /// The keys.
    public let keys: AccountKeys
    /// Which of the phrase's accounts this is.
    public let accountIndex: UInt32
    /// Where the file is.
    public let path: String

    /// A wallet that was just made, and the phrase that brings it back.
    public struct New: Sendable {
        /// The wallet.
        public let wallet: Wallet
        /// The account's phrase. It is nowhere else: show it once, to be written down.
        public let phrase: String
    }

    // 12 words, as Anytype's applications make them.
    private static let entropyByteCount = 16

    /// Makes a wallet for a fresh account, with a fresh device key.
    ///
    /// With a passkey this takes some tenths of a second and 64 MiB.
    ///
    /// - Parameters:
    ///   - index: which of the phrase's accounts, below 2^31.
    ///   - root: the wallet goes to the account's directory in it, `<root>/<accountId>/wallet.key`.
    ///   - path: where the wallet goes instead; its folder is made when it is missing.
    ///   - passkey: what to encrypt the wallet with; `nil` leaves it in the clear, for its owner only.
    /// - Throws: ``WalletError``.
    public static func create(
        index: UInt32 = AccountKeys.defaultIndex, in root: DataRoot, path: String? = nil, passkey: Passkey?
    ) throws(WalletError) -> New {
        let phrase = try freshPhrase()
        let wallet = try restore(phrase: phrase, index: index, in: root, path: path, passkey: passkey)
        return New(wallet: wallet, phrase: phrase)
    }

    /// A phrase that nobody has.
    static func freshPhrase() throws(WalletError) -> String {
        var entropy = Sodium.random(entropyByteCount)
        defer { Sodium.zero(&entropy) }
        guard let phrase = Mnemonic.phrase(entropy: entropy) else { throw .badPhrase(.derivationUnavailable) }
        return phrase
    }

    /// Makes a wallet for an account that exists, from its phrase, with a fresh device key.
    ///
    /// - Parameters:
    ///   - phrase: 12 to 24 BIP-39 words; white space around them and between them does not matter.
    ///   - index: which of the phrase's accounts, below 2^31.
    ///   - root: the wallet goes to the account's directory in it.
    ///   - path: where the wallet goes instead.
    ///   - passkey: what to encrypt the wallet with; `nil` leaves it in the clear, for its owner only.
    /// - Throws: ``WalletError``; ``WalletError/alreadyExists(path:)`` when the account has a wallet there.
    public static func restore(
        phrase: String, index: UInt32 = AccountKeys.defaultIndex, in root: DataRoot, path: String? = nil,
        passkey: Passkey?
    ) throws(WalletError) -> Wallet {
        let (masterKey, accountKey) = try AccountKeys.derive(phrase: phrase, index: index)
        let content = WalletFile.Content(
            accountIndex: index, masterKey: masterKey, accountKey: accountKey, deviceKey: SigningKey()
        )
        let path = path ?? root.directory(of: accountKey.publicKey).walletPath
        return try create(content, file: SecretFile(path: path), passkey: passkey)
    }

    /// Writes the file of a new wallet.
    static func create(
        _ content: WalletFile.Content, file: SecretFile, passkey: Passkey?, cost: PasskeyBox.Cost = .standard
    ) throws(WalletError) -> Wallet {
        var bytes: [UInt8]
        do throws(PasskeyBox.Failure) {
            bytes = try WalletFile.encode(content, passkey: passkey, cost: cost)
        } catch {
            throw .outOfMemory
        }
        defer { Sodium.zero(&bytes) }
        do throws(FileError) {
            let folder = Paths.folder(of: file.path)
            try Folder.create(folder)
            try Folder.requireTrusted(folder)
            try file.create(bytes)
        } catch {
            switch error {
            case .alreadyExists(let path): throw .alreadyExists(path: path)
            // It is there all the same, and nobody has seen its phrase.
            case .failed(.synchronizeFolder, _, _): _ = try? file.remove()
            default: break
            }
            throw .file(error)
        }
        return Wallet(content, path: file.path)
    }

    /// Opens a wallet.
    ///
    /// With a passkey this takes some tenths of a second and 64 MiB.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - passkey: what the wallet is encrypted with, `nil` when it is not.
    ///   - accountId: the account that it must be of; any when `nil`.
    /// - Throws: ``WalletError``.
    public static func open(
        path: String, passkey: Passkey?, expecting accountId: String? = nil
    ) throws(WalletError) -> Wallet {
        var bytes = try read(path)
        defer { Sodium.zero(&bytes) }
        let content = try WalletFile.decode(bytes, passkey: passkey, path: path)
        let wallet = Wallet(content, path: path)
        if let accountId, accountId != wallet.keys.accountId {
            throw .otherAccount(path: path, expected: accountId, found: wallet.keys.accountId)
        }
        return wallet
    }

    /// The account of a wallet, which shows without its passkey.
    ///
    /// - Throws: ``WalletError``.
    public static func accountId(path: String) throws(WalletError) -> String {
        var bytes = try read(path)
        defer { Sodium.zero(&bytes) }
        return try WalletFile.accountId(in: bytes, path: path)
    }

    private init(_ content: WalletFile.Content, path: String) {
        keys = AccountKeys(
            accountKey: content.accountKey, masterKey: content.masterKey, deviceKey: content.deviceKey
        )
        accountIndex = content.accountIndex
        self.path = path
    }

    private static func read(_ path: String) throws(WalletError) -> [UInt8] {
        do throws(FileError) {
            // Its owner may have named it: a secret that a container is given is behind a link, in a folder with the sticky
            // bit. Nobody can put another user's file there for it.
            if let bytes = try SecretFile(path: path).read(limit: WalletFile.maximumByteCount, followsLinks: true) {
                return bytes
            }
        } catch {
            throw .file(error)
        }
        throw .notFound(path: path)
    }
}

extension Wallet.New: CustomStringConvertible, CustomReflectable {
    /// Nothing of the phrase.
    public var description: String { "\(wallet.keys)" }

    public var customMirror: Mirror { Mirror(self, children: ["wallet": wallet], displayStyle: .struct) }
}
