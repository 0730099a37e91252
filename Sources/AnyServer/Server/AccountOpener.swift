import FoundationEssentials
import PushCrypto
import SecretFiles

/// Finds, makes and opens accounts in a server's data directory.
struct AccountOpener: Sendable {
    /// An account whose directory is locked, and whose keys are there.
    struct Prepared {
        let keys: AccountKeys
        let lock: ServerLock
        /// Whether the account was not here before.
        let isNew: Bool
        /// The phrase of an account that was made just now; it is nowhere else.
        var phrase: String?
        /// Takes back what was made just now.
        fileprivate var undo: @Sendable () -> Void = {}
    }

    let state: ServerState
    let root: DataRoot
    /// What wallets are encrypted with.
    let passkey: Passkey?

    private var configuration: ServerConfiguration { state.configuration }

    /// The account that the configuration names, or the only one there is.
    ///
    /// - Returns: `nil` when there is none yet, or several and none was named: one of them is asked for over HTTP.
    /// - Throws: ``AnyServerError``.
    func configured() throws(AnyServerError) -> Prepared? {
        let selection: DataRoot.Selection
        do throws(DataRoot.SelectionError) {
            selection = try root.select(
                accountId: configuration.account.value, walletPath: configuration.walletPath.value)
        } catch {
            switch error {
            case .noAccount, .severalAccounts:
                state.log.info("no account yet; POST /v1/auth, or `any auth login`, starts one", ("reason", "\(error)"))
                return nil
            case .file(let error): throw .badDataDirectory(error)
            default: throw .boot(error.description)
            }
        }
        return try opened(selection.directory, path: selection.walletPath, expecting: selection.accountId)
    }

    /// The account that a host asks for.
    ///
    /// - Throws: ``AuthError``, or what is wrong with the directory; nothing is made then.
    func prepare(_ request: AuthRequest) throws -> Prepared {
        do {
            return state.mode == .managed ? try managed(request) : try standalone(request)
        } catch AnyServerError.alreadyRunning(_, let server) {
            throw AuthError.inUse(server)
        } catch let error as WalletError {
            state.log.error("wallet cannot be used", ("error", "\(error)"))
            throw AuthError.wallet(error)
        }
    }

    /// Opens an account. The session has its lock from then on.
    ///
    /// - Throws: ``AnyServerError``; the lock is let go then, and what was made just now is gone.
    func open(_ prepared: Prepared) async throws(AnyServerError) -> AccountSession {
        do throws(AnyServerError) {
            return try await AccountSession.open(
                prepared.keys, lock: prepared.lock, configuration: configuration, transports: state.transports,
                log: state.log)
        } catch {
            prepared.lock.release()
            prepared.undo()
            throw error
        }
    }

    // MARK: Managed

    private func managed(_ request: AuthRequest) throws -> Prepared {
        switch request.wanted {
        case .fresh:
            let phrase = try Wallet.freshPhrase()
            let (masterKey, accountKey) = try AccountKeys.derive(phrase: phrase, index: AccountKeys.defaultIndex)
            var prepared = try brought(accountKey, masterKey: masterKey)
            prepared.phrase = phrase
            return prepared
        case .phrase(_, _, let key, let masterKey): return try brought(key, masterKey: masterKey)
        case .key(let key, let masterKey): return try brought(key, masterKey: masterKey)
        // Its host has the keys, not the server.
        case .known(let id): throw AuthError.accountNotFound(accountId: id)
        }
    }

    private func brought(_ key: SigningKey, masterKey: SigningKey?) throws -> Prepared {
        let directory = root.directory(of: key.publicKey)
        let isNew = !directory.wasUsed
        let lock = try Self.lock(directory)
        do {
            let deviceKey = try DeviceKeyFile.open(in: directory)
            return Prepared(
                keys: AccountKeys(accountKey: key, masterKey: masterKey, deviceKey: deviceKey), lock: lock, isNew: isNew
            )
        } catch {
            lock.release()
            throw error
        }
    }

    // MARK: Standalone

    private func standalone(_ request: AuthRequest) throws -> Prepared {
        switch request.wanted {
        case .key: throw AuthError.notManaged
        case .known(let id):
            guard let account = try account(id) else { throw AuthError.accountNotFound(accountId: id) }
            return try wallet(in: account.directory, path: account.directory.walletPath, expecting: id)
        case .phrase(let phrase, let index, let key, _):
            let id = key.publicKey.accountAddress
            if let known = try account(id) {
                return try wallet(in: known.directory, path: known.directory.walletPath, expecting: id)
            }
            let made = try Wallet.restore(
                phrase: phrase, index: index, in: root, path: configuration.walletPath.value, passkey: passkey)
            return try prepared(made)
        case .fresh:
            let made = try Wallet.create(in: root, path: configuration.walletPath.value, passkey: passkey)
            var prepared = try prepared(made.wallet, isFresh: true)
            prepared.phrase = made.phrase
            return prepared
        }
    }

    private func account(_ id: String) throws -> DataRoot.Account? {
        if let path = configuration.walletPath.value {
            guard BoundedFile.exists(path), try Wallet.accountId(path: path) == id else { return nil }
            return DataRoot.Account(id: id, isDefault: true, directory: AccountDirectory(path: root.path))
        }
        return try root.accounts().first { $0.id == id }
    }

    private func prepared(_ wallet: Wallet, isFresh: Bool = false) throws -> Prepared {
        let isElsewhere = configuration.walletPath.value != nil
        let directory =
            isElsewhere
            ? AccountDirectory(path: root.path) : root.directory(of: wallet.keys.accountKey.publicKey)
        let undo: @Sendable () -> Void = {
            // Nobody has seen the phrase of a fresh account, so nothing of it is worth keeping; its folder is new too.
            if isFresh, !isElsewhere {
                try? FileManager.default.removeItem(atPath: directory.path)
            } else if isFresh {
                _ = try? SecretFile(path: wallet.path).remove()
            }
        }
        do {
            let lock = try Self.lock(directory)
            return Prepared(keys: wallet.keys, lock: lock, isNew: true, undo: undo)
        } catch {
            undo()
            throw error
        }
    }

    private func wallet(in directory: AccountDirectory, path: String, expecting id: String?) throws -> Prepared {
        let path = configuration.walletPath.value ?? path
        let lock = try Self.lock(directory)
        do {
            let wallet = try Wallet.open(path: path, passkey: passkey, expecting: id)
            return Prepared(keys: wallet.keys, lock: lock, isNew: false)
        } catch {
            lock.release()
            throw error
        }
    }

    private func opened(
        _ directory: AccountDirectory, path: String, expecting id: String?
    ) throws(AnyServerError) -> Prepared {
        do {
            // Its lock first: whoever starts a second server hears of that, and not of a passkey.
            return try wallet(in: directory, path: path, expecting: id)
        } catch let error as AnyServerError {
            throw error
        } catch {
            throw .boot("\(error)")
        }
    }

    private static func lock(_ directory: AccountDirectory) throws(AnyServerError) -> ServerLock {
        do throws(ServerLock.Failure) { return try ServerLock(directory) } catch { throw AnyServerError(error) }
    }
}
