import PushCrypto
import PushNode
import SQLiteStorage

// The logs of spaces, replayed.
extension AccountStore {
    // Read at a time; what is read of large records is bounded by their bytes.
    private static let pageRecordCount = 256
    private static let pageByteCount = 2 * 1024 * 1024

    /// Brings the log of a space to hand. A log that is not is replayed off the store's thread, so that a long one holds up
    /// nobody else; whoever needs the same one meanwhile waits for it.
    ///
    /// Every operation that needs a log begins with this and then finds it at hand; a log that was put out of the cache
    /// again by then is replayed by the operation itself.
    func prepareLog(of id: String) async throws {
        while replaying.contains(id) {
            await replayTurns.wait { replaying.contains(id) }
            try Task.checkCancellation()
        }
        guard
            let count = try read({ try spaceTable($0).space(id)?.recordCount }), count > 0,
            logs[id]?.state.recordCount != count
        else { return }
        replaying.insert(id)
        defer {
            replaying.remove(id)
            replayTurns.wakeAll()
        }
        // What is wrong with a log is for the operation to say that needs it.
        guard let log = try? await Self.replay(id, of: self, count: count) else { return }
        guard try read({ try spaceTable($0).space(id)?.recordCount }) == count else { return }
        logs.insert(log, for: id)
    }

    @concurrent private static func replay(
        _ id: String, of store: AccountStore, count: Int
    ) async throws -> SpaceLog {
        var log: SpaceLog?
        while (log?.state.recordCount ?? 0) < count {
            try Task.checkCancellation()
            let page = try await store.recordPage(of: id, from: log?.state.recordCount ?? 0)
            try add(page, to: &log, of: id, store.keys.accountKey)
        }
        guard let log else { throw SpaceError.damaged("the log of space \(id)") }
        return log
    }

    /// The log of a space as it is stored, replayed when it is not at hand.
    ///
    /// - Throws: ``SpaceError/damaged(_:)`` when a stored record is refused.
    func log(of space: StoredSpace, _ connection: SQLiteConnection) throws -> SpaceLog {
        if let log = logs[space.id], log.state.recordCount == space.recordCount { return log }
        var log: SpaceLog?
        repeat {
            let page = try recordPage(of: space.id, from: log?.state.recordCount ?? 0, connection)
            try Self.add(page, to: &log, of: space.id, keys.accountKey)
        } while (log?.state.recordCount ?? 0) < space.recordCount
        guard let log, log.state.recordCount == space.recordCount else {
            throw SpaceError.damaged("the log of \(space.id) is not of \(space.recordCount) records")
        }
        logs.insert(log, for: space.id)
        return log
    }

    private func recordPage(of id: String, from position: Int) throws -> [RawRecordWithId] {
        try read { try recordPage(of: id, from: position, $0) }
    }

    private func recordPage(
        of id: String, from position: Int, _ connection: SQLiteConnection
    ) throws -> [RawRecordWithId] {
        try RecordTable(connection: connection).records(
            of: id, from: position, limit: Self.pageRecordCount, byteLimit: Self.pageByteCount
        )
    }

    private static func add(
        _ records: [RawRecordWithId], to log: inout SpaceLog?, of id: String, _ account: SigningKey
    ) throws {
        guard !records.isEmpty else { throw SpaceError.damaged("the log of space \(id) lacks records") }
        do throws(ACLError) {
            for record in records {
                if log == nil {
                    log = try SpaceLog(root: record, account: account)
                } else {
                    try log?.append(record)
                }
            }
        } catch {
            throw SpaceError.damaged("the log of space \(id): \(error)")
        }
    }

    /// Makes a change of the account's own.
    ///
    /// - Throws: ``SpaceError/keyMissing(_:)`` when the account was not given the space's current key.
    func signedChange(_ content: ChangeContent, in id: String, _ log: SpaceLog) throws -> SignedChange {
        do {
            return try SignedChange(content, in: id, log.state, by: keys.accountKey)
        } catch ChangeError.keyUnavailable(let reason) where reason.isAMembersLack {
            throw SpaceError.keyMissing(reason)
        }
    }
}
