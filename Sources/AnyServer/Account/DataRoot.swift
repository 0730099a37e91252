public import PushCrypto
public import SecretFiles

/// The directory that accounts are in (`dataDir`), one directory each.
///
/// A wallet at the root itself is of the older, flat layout: it is the default account, and its files stay at the root.
public struct DataRoot: Hashable, Sendable {
    /// An account that has a wallet here.
    public struct Account: Hashable, Sendable {
        /// The account's id; `nil` when the wallet at the root does not tell.
        public let id: String?
        /// Whether this is the wallet at the root.
        public let isDefault: Bool
        /// Where its files are.
        public let directory: AccountDirectory
    }

    /// The wallet to start a server with.
    public struct Selection: Hashable, Sendable {
        /// The wallet's file.
        public let walletPath: String
        /// Where the account's files are.
        public let directory: AccountDirectory
        /// The account that the wallet must be of; any when `nil`.
        public let accountId: String?
    }

    /// Why no account is selected.
    public enum SelectionError: Error, Hashable, Sendable {
        /// There is none yet.
        case noAccount(root: String)
        /// An account's data is there and its wallet is not.
        case lostWallet(directory: String)
        /// There are several and none is the default.
        case severalAccounts(root: String, ids: [String])
        /// The account is not here.
        case unknownAccount(id: String, root: String)
        /// The text is no account id.
        case notAnAccountId(String)
        /// The root can not be looked at.
        case file(FileError)
    }

    /// The directory.
    public let path: String

    /// The root at `path`, which need not exist.
    public init(path: String) {
        self.path = path
    }

    /// The directory of an account.
    public func directory(of account: PublicKey) -> AccountDirectory {
        AccountDirectory(path: Paths.join(path, account.accountAddress))
    }

    /// The accounts that have a wallet here: the default first, the others by id.
    ///
    /// - Throws: `FileError` when the directory can not be listed; one that does not exist has none.
    public func accounts() throws(FileError) -> [Account] {
        var accounts: [Account] = []
        if let flat = flatWallet { accounts.append(flat) }
        for name in try Folder.names(in: path).sorted() {
            guard let key = try? PublicKey(accountAddress: name) else { continue }
            let directory = directory(of: key)
            guard BoundedFile.exists(directory.walletPath) else { continue }
            accounts.append(Account(id: name, isDefault: false, directory: directory))
        }
        return accounts
    }

    /// The directories of accounts here, with or without a wallet: that at the root first.
    ///
    /// - Throws: `FileError` when the directory can not be listed; one that does not exist has none.
    public func directories() throws(FileError) -> [AccountDirectory] {
        var directories = [AccountDirectory(path: path)]
        for name in try Folder.names(in: path).sorted() {
            guard let key = try? PublicKey(accountAddress: name) else { continue }
            directories.append(directory(of: key))
        }
        return directories
    }

    /// Chooses the account to start a server with.
    ///
    /// - Parameters:
    ///   - accountId: the account asked for. Without one it is the wallet at the root, else the only account there is.
    ///   - walletPath: a wallet that counts instead of all those here; its account's files are at the root.
    /// - Throws: ``SelectionError``.
    public func select(accountId: String? = nil, walletPath: String? = nil) throws(SelectionError) -> Selection {
        if let accountId, (try? PublicKey(accountAddress: accountId)) == nil { throw .notAnAccountId(accountId) }
        if let walletPath {
            return Selection(walletPath: walletPath, directory: AccountDirectory(path: path), accountId: accountId)
        }
        let accounts: [Account]
        do throws(FileError) { accounts = try self.accounts() } catch { throw .file(error) }
        let account = if let accountId { try find(accountId, in: accounts) } else { try choose(from: accounts) }
        return Selection(
            walletPath: account.directory.walletPath, directory: account.directory, accountId: accountId ?? account.id
        )
    }

    private func find(_ id: String, in accounts: [Account]) throws(SelectionError) -> Account {
        // A wallet at the root that does not tell whose it is may be the one; opening it shows.
        let account = accounts.first { $0.id == id } ?? accounts.first { $0.isDefault && $0.id == nil }
        if account == nil, let directory = try lostWallets().first(where: { Paths.name(of: $0) == id }) {
            throw .lostWallet(directory: directory)
        }
        guard let account else { throw .unknownAccount(id: id, root: path) }
        return account
    }

    private func choose(from accounts: [Account]) throws(SelectionError) -> Account {
        // Not the next best account in the place of one that lost its wallet.
        if accounts.first?.isDefault != true, let directory = try lostWallets().first {
            throw .lostWallet(directory: directory)
        }
        guard let first = accounts.first else { throw .noAccount(root: path) }
        guard first.isDefault || accounts.count == 1 else {
            throw .severalAccounts(root: path, ids: accounts.compactMap(\.id))
        }
        return first
    }

    /// The directories here with an account's data, but neither its wallet nor the device key of one that a host manages.
    private func lostWallets() throws(SelectionError) -> [String] {
        let names: [String]
        do throws(FileError) { names = try Folder.names(in: path) } catch { throw .file(error) }
        let accounts = names.sorted().filter { (try? PublicKey(accountAddress: $0)) != nil }.map {
            Paths.join(path, $0)
        }
        return ([path] + accounts).filter { path in
            let directory = AccountDirectory(path: path)
            return BoundedFile.exists(directory.storePath) && !BoundedFile.exists(directory.walletPath)
                && !BoundedFile.exists(directory.deviceKeyPath)
        }
    }

    private var flatWallet: Account? {
        let directory = AccountDirectory(path: path)
        guard BoundedFile.exists(directory.walletPath) else { return nil }
        return Account(id: try? Wallet.accountId(path: directory.walletPath), isDefault: true, directory: directory)
    }
}

extension DataRoot.SelectionError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noAccount(let root): "no account in \(root); make one with `any init`"
        case .lostWallet(let directory):
            "\(directory) has an account's data and no wallet.key: restore that from a backup, or the account from its phrase "
                + "with `any init --mnemonic-stdin`, or say where the wallet is; to go without the account, move \(directory) away"
        case .severalAccounts(let root, let ids):
            "several accounts in \(root): \(ids.joined(separator: ", ")); choose one with --account or ANY_ACCOUNT"
        case .unknownAccount(let id, let root):
            "account \(id) is not in \(root); restore it with `any init`, or name another --data-dir"
        case .notAnAccountId(let text): "\"\(text)\" is no account id; one starts with A and has 48 letters and digits"
        case .file(let error): error.description
        }
    }
}
