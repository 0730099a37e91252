import PushCrypto
import PushNode
import SQLiteStorage

/// Everything that an account has on this machine, in one SQLite file: spaces with their ACL logs, settings, chats.
///
/// Operations are methods in extensions, one file for each concern. Each runs to its end on the store's own thread, and
/// each that writes is one transaction: when it returns, what it wrote survives the end of the process and the loss of
/// power; when it throws, nothing of it stays. They throw ``SpaceError`` and errors of their own for what the caller
/// did wrong, and `StoreError` when the file fails.
actor AccountStore {
    // A SLIP-21 path that nothing else uses.
    private static let storageKeyLabels = ["SLIP-0021", "anypush", "storage"]
    private static let settingsKeyLabels = ["SLIP-0021", "anypush", "settings"]

    private let executor = BlockingExecutor(label: "anypush.account")
    private let file: StoreFile
    private var connection: SQLiteConnection?
    /// The keys of the account.
    nonisolated let keys: AccountKeys
    /// Seals secrets that the file holds. Follows from the account key, so that the file alone gives none away.
    nonisolated let storageKey: SymmetricKey
    /// Seals the account's own settings for its other devices. Follows from the account key.
    nonisolated let settingsKey: SymmetricKey
    /// The time in milliseconds since 1970.
    nonisolated let now: @Sendable () -> Int64
    /// Tells push what to read anew.
    nonisolated let directoryChanges = DirectoryChangeFeed()
    private let sink: @Sendable (AccountEvent) -> Void
    // What operations in the open transaction have to tell once it is committed.
    private var events: [AccountEvent] = []
    /// How far logs grow.
    nonisolated let logLimits: SpaceLogLimits
    /// How notifications wait; `nil` when push is off, and then there are none.
    nonisolated let outbox: OutboxSettings?
    /// Composes notifications, and keeps what the next one needs too.
    var composer: HookComposer
    /// The keys of notifications, and the head of the log from which they follow.
    var pushKeys = BoundedCache<String, (head: String, keys: SpacePushKeys)>(capacity: SpaceLogCache.capacity)
    /// Logs that were replayed.
    var logs = SpaceLogCache()
    /// The spaces whose logs are being replayed, each by one task, and who waits for that.
    var replaying: Set<String> = []
    nonisolated let replayTurns = Waiters()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(
        file: StoreFile, keys: AccountKeys, logLimits: SpaceLogLimits, outbox: OutboxSettings?,
        now: @escaping @Sendable () -> Int64, sink: @escaping @Sendable (AccountEvent) -> Void
    ) {
        self.file = file
        self.outbox = outbox
        composer = HookComposer(account: keys.accountKey)
        self.keys = keys
        self.logLimits = logLimits
        storageKey = Self.key(Self.storageKeyLabels, of: keys.accountKey)
        settingsKey = Self.key(Self.settingsKeyLabels, of: keys.accountKey)
        self.now = now
        self.sink = sink
    }

    /// Opens the store of an account: checks the file, creates it and its folder when there is none, and proves that it
    /// can be written.
    ///
    /// - Parameters:
    ///   - file: the file, `StoreFile.account(in:)`.
    ///   - expectation: whether there may be none yet.
    ///   - keys: the account's keys. A store of another account is refused.
    ///   - logLimits: how far the logs of spaces grow.
    ///   - outbox: how notifications wait; `nil` when push is off.
    ///   - now: the time in milliseconds since 1970.
    ///   - sink: is told what was committed, in order and on the store's thread; it returns at once.
    /// - Throws: `StoreError`, which names the file and what to do; the file is as it was.
    static func open(
        _ file: StoreFile, expecting expectation: StoreExpectation = .mayBeNew, keys: AccountKeys,
        logLimits: SpaceLogLimits = SpaceLogLimits(), outbox: OutboxSettings? = nil,
        now: @escaping @Sendable () -> Int64, sink: @escaping @Sendable (AccountEvent) -> Void
    ) async throws(StoreError) -> AccountStore {
        let store = AccountStore(
            file: file, keys: keys, logLimits: logLimits, outbox: outbox, now: now, sink: sink)
        try await store.open(expecting: expectation)
        return store
    }

    private func open(expecting expectation: StoreExpectation) throws(StoreError) {
        let opened = try file.open(expecting: expectation)
        let identity = keys.accountKey.publicKey.rawRepresentation
        let owner = try file.translated { () throws(SQLiteError) in try opened.claim(for: identity) }
        guard owner == identity else {
            let found = owner.flatMap { try? PublicKey(rawRepresentation: $0) }?.accountAddress
            throw .otherOwner(path: file.path, owner: "the account \(found ?? "?"), and this is \(keys.accountId)")
        }
        connection = opened
    }

    /// Ends the store's use. Later operations throw `StoreError.closed`.
    func close() {
        connection = nil
        logs = SpaceLogCache()
        directoryChanges.finish()
    }

    private static func key(_ labels: [String], of account: SigningKey) -> SymmetricKey {
        var seed = account.rawBytes()
        defer { Sodium.zero(&seed) }
        return labels.reduce(SLIP21Node(seed: seed)) { $0.child($1) }.symmetricKey
    }

    // MARK: Access

    /// Runs a query.
    ///
    /// - Throws: what `body` throws; an `SQLiteError` as the `StoreError` that it means.
    func read<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
        guard let connection else { throw StoreError.closed }
        do {
            return try body(connection)
        } catch let error as SQLiteError {
            throw StoreError(error, path: file.path)
        }
    }

    /// Makes a change, in a transaction that is committed when `body` returns and rolled back when it throws.
    ///
    /// `body` must change nothing of the actor but by ``tell(_:)``: what it did may come to nothing.
    ///
    /// - Throws: as ``read(_:)``.
    func write<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
        events = []
        defer { events = [] }
        let value = try read { connection in
            try requireInPlace(connection)
            try connection.execute("BEGIN IMMEDIATE")
            do {
                let value = try body(connection)
                try connection.execute("COMMIT")
                // Once more: what was committed to a file that was removed meanwhile is not kept.
                try requireInPlace(connection)
                return value
            } catch {
                // A full or failing disk ends the transaction by itself.
                if connection.isInTransaction { try? connection.execute("ROLLBACK") }
                throw error
            }
        }
        for event in events {
            if let change = DirectoryChange(event) { directoryChanges.send(change) }
            sink(event)
        }
        return value
    }

    /// Makes a change as ``write(_:)`` does, but without waiting for the disk: it survives the end of the process, and may be
    /// undone by the loss of power (sqlite.org, "PRAGMA synchronous"). The next ``write(_:)`` makes it lasting.
    func relaxedWrite<T>(_ body: (SQLiteConnection) throws -> T) throws -> T {
        try read { try $0.execute("PRAGMA synchronous = NORMAL") }
        let result = Result { try write(body) }
        try read { try $0.execute("PRAGMA synchronous = FULL") }
        return try result.get()
    }

    private func requireInPlace(_ connection: SQLiteConnection) throws(StoreError) {
        guard connection.isInPlace else { throw .moved(path: file.path) }
    }

    /// Tells an event once the open transaction is committed; the same event once.
    func tell(_ event: AccountEvent) {
        events.append(event)
    }
}

extension SQLiteConnection {
    /// Makes the file an account's, when it is nobody's.
    ///
    /// - Returns: whose it is.
    fileprivate func claim(for identity: [UInt8]) throws(SQLiteError) -> [UInt8]? {
        try run("INSERT OR IGNORE INTO owner (id, identity) VALUES (1, ?)", .bytes(identity))
        return try first("SELECT identity FROM owner") { $0.bytes(0) }
    }
}
