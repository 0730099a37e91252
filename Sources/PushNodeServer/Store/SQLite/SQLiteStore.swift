package import PushNode
package import SQLiteStorage

/// The store in one SQLite file.
///
/// All access goes through one connection on a queue of its own. Changes that arrive while the disk is busy with others are
/// committed together, so that the cost of reaching the disk is shared by all who wait for it.
package actor SQLiteStore {
    private let executor = BlockingExecutor(label: "anypush.store")
    let file: StoreFile
    private var connection: SQLiteConnection?
    private var pending: [any PendingChange] = []
    private var isDurable = true
    /// Transactions so far.
    private(set) var commits = 0
    /// Notifications in the queue, so that its limit costs no counting.
    var queuedNotifications = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// A store that is not open yet.
    init(file: StoreFile) {
        self.file = file
    }

    /// Opens the store of a node: checks the file, creates it when there is none, and proves that it can be written.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - maximumByteCount: how large it may grow, `nil` for no limit but the disk's.
    ///   - lanes: the platforms that there are forwarders for.
    ///   - now: the time, for what has expired meanwhile.
    /// - Throws: `StoreError`.
    package static func open(
        path: String, maximumByteCount: Int? = nil, lanes: [Platform], now: UnixTime
    ) async throws(StoreError) -> SQLiteStore {
        let store = SQLiteStore(file: .node(path: path, maximumPages: maximumByteCount.map { max($0 / 4096, 1) }))
        try await store.open(lanes: lanes, now: now)
        return store
    }

    func open(lanes: [Platform], now: UnixTime) throws(StoreError) {
        let opened = try file.open()
        queuedNotifications = try file.translated { () throws(SQLiteError) in
            try opened.recoverQueue(lanes: lanes, now: now)
        }
        connection = opened
    }

    package func close() async {
        // What was called before is in front of this on the executor, all but its commit.
        commitPending()
        connection = nil
    }

    // MARK: Access

    /// Runs a query. It does not see changes that wait to be committed.
    func read<T>(_ body: (SQLiteConnection) throws(SQLiteError) -> T) throws(StoreError) -> T {
        guard let connection else { throw .closed }
        return try file.translated { () throws(SQLiteError) in try body(connection) }
    }

    /// Makes a change, together with those of others that wait.
    ///
    /// - Parameters:
    ///   - durable: whether to return only once the change would survive the loss of power.
    ///   - body: makes the change; when it throws, nothing of it stays.
    func change<T: Sendable>(
        durable: Bool = true, _ body: @escaping @Sendable (SQLiteConnection) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        guard connection != nil else { throw .closed }
        let result = await withCheckedContinuation { continuation in
            pending.append(Change(isDurable: durable, body: body, continuation: continuation))
            // Calls that are in the executor's queue by now come before the commit, and so into it.
            if pending.count == 1 { executor.add { self.assumeIsolated { $0.commitPending() } } }
        }
        return try result.get()
    }

    private func commitPending() {
        guard let connection, !pending.isEmpty else { return }
        let changes = pending
        pending = []
        do throws(SQLiteError) {
            try setDurable(changes.contains(where: \.isDurable), connection)
        } catch {
            for change in changes { change.fail(StoreError(error, path: file.path)) }
            return
        }
        var commit = GroupCommit(connection, of: file)
        commit.commit(changes)
        commits += 1
    }
    // Outside of a transaction this only sets a flag: whether a commit waits for the disk (sqlite.org, "PRAGMA
    // synchronous"; with a write-ahead log NORMAL may lose commits, but never damages the file).
    private func setDurable(_ durable: Bool, _ connection: SQLiteConnection) throws(SQLiteError) {
        guard durable != isDurable else { return }
        try connection.execute(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        isDurable = durable
    }
}
