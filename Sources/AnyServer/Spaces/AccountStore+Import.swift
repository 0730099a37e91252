import PushCrypto
import SQLiteStorage

// Spaces that come in as files.
extension AccountStore {
    /// What a batch brought.
    struct ImportResult: Hashable, Sendable {
        let spaceId: String
        /// How many records of the log were new.
        var records = 0
        /// How many changes of details and chats were new.
        var changes = 0
        /// How many of the account's own settings changed, by what another of its devices wrote.
        var settings = 0
    }

    /// Takes a batch of an export's lines.
    ///
    /// A batch begins with the space's line. It is verified whole and taken whole: a line that is not what it should be
    /// leaves everything as it was. To import what is here already changes nothing. Records below the length of the log
    /// here must be those here; records above it are judged in full and added. Changes whose read key this account
    /// never had are passed over.
    ///
    /// A space that is new here becomes a row when the account is a member of it, when it asked to join, or when it is
    /// one of two, which it then has to accept. A log that comes in several batches has the status `unknown` until it
    /// is whole. When the account then is none of these, nothing of the space stays.
    ///
    /// - Parameters:
    ///   - lines: the batch.
    ///   - restores: whether a space that was deleted here is to come back. Its settings and keys are as they were then.
    /// - Throws: ``SpaceError/badLine(number:reason:)``, ``SpaceError/fork(position:local:imported:)``,
    ///   ``SpaceError/gap(expected:found:)``, ``SpaceError/logTooLarge(_:limit:)``, ``SpaceError/notMember``, or
    ///   ``SpaceError/deletedBefore``.
    func importLines(_ lines: [JSONObject], restores: Bool = false) async throws -> ImportResult {
        let batch = try await Self.read(lines)
        do {
            while true {
                try await prepareLog(of: batch.spaceId)
                let known = try known(batch, restores: restores)
                let incoming = try await Self.judge(batch, known, keys.accountKey, logLimits)
                // Once more when the log here has changed meanwhile.
                guard let (result, log) = try write({ try take(batch, known, incoming, $0) }) else { continue }
                logs.insert(log, for: result.spaceId)
                return result
            }
        } catch SpaceError.notMember {
            try forgetIncomplete(batch.spaceId)
            throw SpaceError.notMember
        }
    }

    /// What is here of a space before an import.
    private struct Known: Sendable {
        var space: StoredSpace?
        var log: SpaceLog?

        func isSame(as other: Known) -> Bool {
            log?.state.head == other.log?.state.head && space?.recordCount == other.space?.recordCount
        }
    }

    // What costs time is done off the store's thread: reading lines, and judging signatures and records.

    @concurrent private static func read(_ lines: [JSONObject]) async throws -> ImportBatch {
        try ImportBatch(lines)
    }

    @concurrent private static func judge(
        _ batch: ImportBatch, _ known: Known, _ account: SigningKey, _ limits: SpaceLogLimits
    ) async throws -> IncomingLog {
        var incoming = IncomingLog(batch: batch, log: known.log, account: account, limits: limits)
        let start = incoming.count
        for (number, position, record) in batch.records where position >= start {
            if position < incoming.count {
                // Twice in the batch.
                try incoming.expect(record, at: position)
            } else {
                try incoming.admit(record, at: position, line: number)
            }
        }
        return incoming
    }

    /// What is here of the batch's space; its records here must be those of the batch.
    private func known(_ batch: ImportBatch, restores: Bool) throws -> Known {
        try read { connection in
            let known = try known(batch.spaceId, connection)
            if let space = known.space, space.isTombstone, space.info.status == .deleted, !restores {
                throw SpaceError.deletedBefore
            }
            let table = RecordTable(connection: connection)
            for (_, position, record) in batch.records where position < known.log?.state.recordCount ?? 0 {
                // Known, by its id, which is the payload's.
                let local = try table.id(at: position, of: batch.spaceId) ?? ""
                guard local == record.id else {
                    throw SpaceError.fork(position: position, local: local, imported: record.id)
                }
            }
            return known
        }
    }

    private func known(_ id: String, _ connection: SQLiteConnection) throws -> Known {
        let space = try spaceTable(connection).space(id)
        // A tombstone has no log.
        guard let space, space.recordCount > 0 else { return Known(space: space) }
        return Known(space: space, log: try log(of: space, connection))
    }

    /// - Returns: `nil` when what is here is not what `incoming` was judged by.
    private func take(
        _ batch: ImportBatch, _ judged: Known, _ incoming: IncomingLog, _ connection: SQLiteConnection
    ) throws -> (ImportResult, SpaceLog)? {
        let known = try known(batch.spaceId, connection)
        guard known.isSame(as: judged) else { return nil }
        var result = ImportResult(spaceId: batch.spaceId)
        let table = RecordTable(connection: connection)
        for (position, record) in incoming.added { try table.add(record, at: position, of: batch.spaceId) }
        result.records = incoming.added.count
        guard let log = incoming.log else {
            throw SpaceError.badLine(number: 1, reason: "the space's log is missing; import from the start")
        }
        var space = known.space ?? StoredSpace(info: incoming.row(now: now()), header: batch.header)
        let before = space.info
        space.follow(log.state)
        try settleStatus(
            of: &space, known.space, log.state, isWhole: log.state.recordCount >= batch.recordCount
        )
        if space.isTombstone, space.info.status != .unknown { space.isTombstone = false }
        for (number, sealed) in batch.settings {
            result.settings += try take(sealed, line: number, to: &space.info, connection)
        }
        for (number, change) in batch.changes {
            if try take(change, line: number, log, to: &space.info, connection) { result.changes += 1 }
        }
        if known.space == nil || result.records > 0 || space.info != before { try save(space, connection) }
        if space.info.notifyMode != before.notifyMode { tell(.spaceModeWritten(space.id)) }
        return (result, log)
    }

    /// What a space is to the account once its log has come in.
    private func settleStatus(
        of space: inout StoredSpace, _ known: StoredSpace?, _ state: ACLState, isWhole: Bool
    ) throws {
        guard known == nil || known?.info.status == .unknown || known?.isTombstone == true else { return }
        if state.isOneToOne {
            guard state.permissions.isMember else { throw SpaceError.notMember }
            space.info.status = .oneToOnePending
        } else if space.info.status == .deleted {
            guard !isWhole else { throw SpaceError.notMember }
            space.info.status = .unknown
        }
    }

    /// Takes the account's own settings; those of another account are passed over.
    ///
    /// - Returns: how many changed.
    private func take(
        _ sealed: [UInt8], line number: Int, to info: inout SpaceInfo, _ connection: SQLiteConnection
    ) throws -> Int {
        do {
            let settings = try OwnSettings(opening: sealed, with: settingsKey, expecting: info.id)
            guard let settings else { return 0 }
            let changed = try join(settings, to: &info, connection)
            guard SpaceSettings.encode(info.settings).count <= SpaceSettings.maximumByteCount else {
                throw OwnSettings.Fault(description: "with those here the settings are more than a space may have")
            }
            return changed
        } catch let error as OwnSettings.Fault {
            throw SpaceError.badLine(number: number, reason: error.description)
        }
    }

    /// Takes a change.
    ///
    /// - Returns: whether it is new here.
    private func take(
        _ line: ImportBatch.Change, line number: Int, _ log: SpaceLog, to info: inout SpaceInfo,
        _ connection: SQLiteConnection
    ) throws -> Bool {
        do {
            let change = line.change
            try log.history.check(change, in: info.id)
            guard let key = log.readKey(change.readKeyRecordId) else { return false }
            let content = try change.content(readKey: key)
            guard line.isDetails == (content.kind == .spaceDetails) else { throw ChangeError.wrongField("kind") }
            guard line.isDetails else { return try importChatChange(change, content, connection) }
            return try DetailsTable(connection: connection).apply(change, content, log: log, to: &info)
        } catch let error as ChangeError {
            throw SpaceError.badLine(number: number, reason: "\(error)")
        }
    }

    /// Takes back what earlier batches brought of a space that is not the account's.
    private func forgetIncomplete(_ id: String) throws {
        try write { connection in
            guard var space = try spaceTable(connection).space(id), space.info.status == .unknown else { return }
            guard !space.isTombstone else { return try bury(&space, connection) }
            try dropContent(of: id, connection)
            try SettingTable(connection: connection).drop(id)
            try spaceTable(connection).drop(id)
            tell(.spaceChanged(id))
        }
        logs.remove(id)
    }
}
