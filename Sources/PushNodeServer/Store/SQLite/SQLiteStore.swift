package import PushCrypto
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
    /// Whether the store's files were at its path when that was last looked at.
    private(set) var isInPlace = true
    private let moved: @Sendable (StoreError?) -> Void
    private var timeline: Timeline?
    private var recordedAt: NodeTime?
    /// How much of the node's time a machine that stops at once may take with it.
    private static let recordInterval = Duration.seconds(10)
    /// Transactions so far.
    private(set) var commits = 0
    /// Whether anything new may be taken.
    private(set) var room: StoreRoom
    /// Who has how many places of the queue, so that its limits cost no counting.
    var places = QueuePlaces()
    /// How many accepted notifications are remembered.
    var repeats = RepeatCounts()
    /// Whose tries are to be made again, by lane.
    var due: [Int64: DueSenders] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// A store that is not open yet.
    init(
        file: StoreFile, limits: StoreLimits = StoreLimits(),
        moved: @escaping @Sendable (StoreError?) -> Void = { _ in }
    ) {
        self.file = file
        self.moved = moved
        room = StoreRoom(limits, path: file.path)
    }

    /// Opens the store of a node: checks the file, creates it when there is none, and proves that it can be written.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - limits: how large it may grow.
    ///   - owner: the node's peer id. A store of another node is refused; `nil` takes any.
    ///   - expectation: whether there may be no store yet.
    ///   - clock: the node's clocks.
    ///   - recovery: how the queue of an earlier run is taken up.
    ///   - moved: is told, once each time, that the store's file is no longer at its path, and then `nil` when it is back.
    /// - Returns: the store, and what was found in it.
    /// - Throws: `StoreError`.
    package static func open(
        path: String, limits: StoreLimits = StoreLimits(), owner: PeerId? = nil,
        expecting expectation: StoreExpectation = .mayBeNew, clock: any NodeClock, _ recovery: QueueRecovery,
        moved: @escaping @Sendable (StoreError?) -> Void = { _ in }
    ) async throws(StoreError) -> (store: SQLiteStore, start: StoreStart) {
        let file = StoreFile.node(path: path, maximumPages: limits.maximumPages)
        let store = SQLiteStore(file: file, limits: limits, moved: moved)
        let start = try await store.open(owner: owner, expecting: expectation, clock, recovery)
        return (store, start)
    }

    func open(
        owner: PeerId? = nil, expecting expectation: StoreExpectation = .mayBeNew, _ clock: any NodeClock,
        _ recovery: QueueRecovery
    ) throws(StoreError) -> StoreStart {
        let opened = try file.open(expecting: expectation)
        if let owner {
            let found = try file.translated { () throws(SQLiteError) in try opened.claim(for: owner) }
            guard found == owner else {
                throw .otherOwner(path: file.path, owner: "the node \(found?.text ?? "?"), and this is \(owner)")
            }
        }
        var start = try file.translated { () throws(SQLiteError) in
            let earlier = try opened.timeRecord()
            let timeline = earlier.map { Timeline(clock, after: $0) } ?? Timeline(beginning: clock)
            return StoreStart(timeline: timeline, passage: earlier?.passage(to: timeline.record))
        }
        let record = start.timeline.record
        (places, start.expired) = try file.translated { () throws(SQLiteError) in
            try opened.recoverQueue(recovery, record)
        }
        (due, repeats) = try file.translated { () throws(SQLiteError) in
            try opened.dropForeignTopics()
            return (try opened.dueSenders(), try opened.repeatCounts())
        }
        room.update(opened)
        connection = opened
        timeline = start.timeline
        recordedAt = record.time
        return start
    }

    package func close() async {
        // What was called before is in front of this on the executor, all but its commit.
        if connection != nil, let timeline { pending.append(TimeRecordChange(timeline.record)) }
        commitPending()
        connection = nil
    }

    // MARK: Access

    /// Runs a query. It does not see changes that wait to be committed.
    func read<T>(_ body: (SQLiteConnection) throws(SQLiteError) -> T) throws(StoreError) -> T {
        guard let connection else { throw .closed }
        return try file.translated { () throws(SQLiteError) in try body(connection) }
    }

    /// Refuses a question whose answer would be out of a file that is gone.
    func requireInPlace() throws(StoreError) {
        if let connection, !look(at: connection) { throw .moved(path: file.path) }
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
        var changes = pending
        pending = []
        // Deliveries of what was accepted before go on.
        if !look(at: connection) {
            for change in changes where change.isDurable { change.fail(.moved(path: file.path)) }
            changes.removeAll(where: \.isDurable)
            guard !changes.isEmpty else { return }
        }
        // Costs no write to the disk of its own. A node that writes nothing has nothing that waits.
        if let record = timeline?.record,
            recordedAt.map({ $0.duration(to: record.time) >= Self.recordInterval }) ?? true
        {
            changes.append(TimeRecordChange(record))
            recordedAt = record.time
        }
        do throws(SQLiteError) {
            try setDurable(changes.contains(where: \.isDurable), connection)
        } catch {
            for change in changes { change.fail(StoreError(error, path: file.path)) }
            return
        }
        var commit = GroupCommit(connection, of: file)
        commit.commit(changes)
        commits += 1
        room.update(connection)
    }

    /// Whether the store's files are still at its path.
    private func look(at connection: SQLiteConnection) -> Bool {
        let isNow = connection.isInPlace
        if isNow != isInPlace {
            isInPlace = isNow
            moved(isNow ? nil : .moved(path: file.path))
        }
        return isNow
    }

    // Outside of a transaction this only sets a flag: whether a commit waits for the disk (sqlite.org, "PRAGMA
    // synchronous"; with a write-ahead log NORMAL may lose commits, but never damages the file).
    private func setDurable(_ durable: Bool, _ connection: SQLiteConnection) throws(SQLiteError) {
        guard durable != isDurable else { return }
        try connection.execute(durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        isDurable = durable
    }
}
