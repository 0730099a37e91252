import AnySyncNet
import PushCrypto
import PushNode
import SQLiteStorage
import SecretFiles

/// An account that runs: everything that its directory's lock protects, from opening to closing.
final class AccountSession: Sendable {
    let keys: AccountKeys
    /// The configuration as it is for the account's network.
    let configuration: ServerConfiguration
    /// The network that the account is on, and who chose it.
    let network: NetworkChoice
    /// Makes texts fit to go over HTTP.
    let paths: PathShortener
    let store: AccountStore
    let push: PushAccount
    let live: LiveQueries
    let log: ServerLog
    private let events: AccountEvents
    private let lock: ServerLock
    private let peers: EncryptedPeersFile
    private let tokens: DeviceTokenFile
    private let uses = UseCount()

    /// How long notifications that wait may take to leave when an account stops.
    private static let pushGrace = Duration.seconds(3)
    /// How long a logout waits for the node to forget the token.
    private static let revocationGrace = Duration.seconds(3)

    private init(
        keys: AccountKeys, configuration: ServerConfiguration, network: NetworkChoice, store: AccountStore,
        push: PushAccount, live: LiveQueries, log: ServerLog, events: AccountEvents, lock: ServerLock,
        peers: EncryptedPeersFile, tokens: DeviceTokenFile
    ) {
        self.keys = keys
        techSpaceId = SpaceObject.accountSpace(of: keys.accountId)
        self.configuration = configuration
        self.network = network
        paths = PathShortener(configuration, account: lock.directory)
        self.store = store
        self.push = push
        self.live = live
        self.log = log
        self.events = events
        self.lock = lock
        self.peers = peers
        self.tokens = tokens
    }

    /// Opens an account whose directory is locked. The session has the lock from now on; when the opening fails, the
    /// caller keeps it.
    static func open(
        _ keys: AccountKeys, lock: ServerLock, configuration: ServerConfiguration,
        transports: @escaping @Sendable (Endpoint) throws -> [any Transport], log: ServerLog
    ) async throws(AnyServerError) -> AccountSession {
        var configuration = configuration
        let known = configuration.warnings.count
        let network: NetworkChoice
        do throws(ConfigurationError) {
            network = try configuration.joinNetwork(account: lock.directory)
        } catch {
            throw .boot(error.description)
        }
        for warning in configuration.warnings.dropFirst(known) { log.warn(warning.description) }
        if let notice = configuration.push.productionNotice { log.info(notice) }
        let events = AccountEvents()
        var options = PushOptions(keys, configuration.push)
        let store = try await openStore(
            keys, in: lock.directory, outbox: options.disabledReason == nil ? OutboxSettings() : nil
        ) { events.tell($0) }
        options.transports = transports
        options.versions = configuration.protocolVersions
        let peers = EncryptedPeersFile(in: lock.directory) { log.warn("push", ("event", $0)) }
        options.dialPolicy = peers.policy(requiresEncryption: configuration.push.requiresEncryption.value)
        let tokens = DeviceTokenFile(in: lock.directory)
        let push = PushAccount(
            options, directory: AccountSpaceDirectory(store), tokens: tokens,
            outbox: AccountOutbox(store), onEvent: { log.warn("push", ("event", "\($0)")) })
        do throws(PushAccountError) {
            try await push.start()
        } catch {
            await store.close()
            throw .boot("\(error)")
        }
        let live = LiveQueries(
            firstVersion: UInt64(max(0, Timestamp.now())),
            onFailure: { log.error("live query failed", ("error", "\($0)")) },
            read: { dataset in
                switch dataset {
                case .account(let dataset): ListedRecords(try await store.records(of: dataset))
                case .messages(let space, let chat): ChatRecords(space: space, chat: chat, store)
                case .space, .nothing: ListedRecords([])
                }
            })
        events.attach(push: push, live: live)
        log.info("account started", ("account", keys.accountId), ("peer", keys.peerId.description))
        return AccountSession(
            keys: keys, configuration: configuration, network: network, store: store, push: push,
            live: live, log: log, events: events, lock: lock, peers: peers, tokens: tokens)
    }

    private static func openStore(
        _ keys: AccountKeys, in directory: AccountDirectory, outbox: OutboxSettings?,
        sink: @escaping @Sendable (AccountEvent) -> Void
    ) async throws(AnyServerError) -> AccountStore {
        let mark = directory.startAnew
        let store: AccountStore
        do throws(StoreError) {
            store = try await AccountStore.open(
                .account(in: directory), expecting: mark.isSet ? .mayBeNew : .exists(remedy: mark.remedy), keys: keys,
                outbox: outbox, now: Timestamp.now, sink: sink)
        } catch {
            throw .boot("\(error)")
        }
        do throws(FileError) {
            // Everything is there now, and must be at the next start.
            try mark.clear()
        } catch {
            await store.close()
            throw .boot("\(error)")
        }
        return store
    }

    var accountId: String { keys.accountId }

    /// Where the account's files are.
    var directory: AccountDirectory { lock.directory }
    /// The file of everything that the account has here.
    var storePath: String { lock.directory.storePath }

    /// The id of the account's own space.
    let techSpaceId: String

    /// Writes where the account is served.
    ///
    /// - Throws: `FileError`.
    func announce(address: String) throws {
        try lock.announce(address: address)
    }

    /// The records of a dataset, whole.
    func records(of dataset: SpaceDataset) async throws -> [JSONObject] {
        try await store.records(of: dataset)
    }

    /// Does something with the account, which is not closed before the end of it.
    ///
    /// - Throws: `auth.required` when it is being closed, and what `body` throws.
    func use<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        guard uses.enter() else { throw APIError.noAccount }
        defer { uses.leave() }
        return try await body()
    }

    /// Ends the account's streams and everything else of it, and lets go of its directory.
    ///
    /// - Parameter graceful: Whether what waits to be sent gets a few seconds.
    func close(_ reason: ClosedReason, graceful: Bool) async {
        await end(reason, graceful: graceful, forgetsToken: false)
        lock.release()
    }

    /// Closes the account for good: the node forgets the token of its phone, which others may use from now on.
    ///
    /// - Parameter revocations: Tell the node later when it is away, and have the directory until then.
    func logOut(_ revocations: LogoutRevocations) async {
        guard await !end(.deauthorized, graceful: true, forgetsToken: true) else { return lock.release() }
        log.warn("the push node does not know of the logout yet and is told when it is back", ("account", accountId))
        let log = log
        let revocation = PendingRevocation(
            push.options, tokens: tokens, onEvent: { log.warn("push", ("event", "\($0)")) })
        revocations.add(accountId, revocation, lock: lock)
    }

    /// - Returns: Whether nothing is left to do.
    @discardableResult
    private func end(_ reason: ClosedReason, graceful: Bool, forgetsToken: Bool) async -> Bool {
        await uses.close()
        await live.close(reason)
        events.detach()
        let isForgotten = forgetsToken ? await push.leaveDevice(within: Self.revocationGrace) : true
        await push.stop(grace: graceful ? Self.pushGrace : .zero)
        await peers.flush()
        await store.close()
        log.info("account stopped", ("account", accountId))
        return isForgotten
    }
}

extension APIError {
    static let noAccount = APIError(.authRequired, "no account is running on this server")
}

extension AccountStore {
    /// The records of a dataset, whole.
    func records(of dataset: SpaceDataset) throws -> [JSONObject] {
        switch dataset {
        case .spaces: return try spaces().map(\.record)
        case .profile:
            var record: JSONObject = ["id": .string(keys.accountId)]
            if let name = try profileName() { record["name"] = .string(name) }
            return [record]
        }
    }
}

extension PushOptions {
    fileprivate init(_ keys: AccountKeys, _ settings: PushSettings) {
        self.init(
            account: keys.accountKey, device: keys.deviceKey,
            node: settings.node.map { PushNodeLocation(peerId: $0.peerId, addresses: $0.addresses) },
            enabled: settings.enabled.value)
    }
}
