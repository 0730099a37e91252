import PushCrypto
import SQLiteStorage

// Spaces and their rows.
extension AccountStore {
    /// The rows of the account's spaces, in the order in which they came.
    ///
    /// - Parameter status: which ones; all of them when it is `nil`.
    func spaces(status: SpaceStatus? = nil) throws -> [SpaceInfo] {
        let rows = try read { try spaceTable($0).all() }.map(\.info)
        guard let status else { return rows }
        return rows.filter { $0.status == status }
    }

    /// A space's row.
    ///
    /// - Throws: ``SpaceError/notFound``.
    func space(_ id: String) throws -> SpaceInfo {
        try read { try stored(id, $0).info }
    }

    /// Makes a space that this account owns.
    ///
    /// An account whose master key the host keeps to itself vouches for itself.
    ///
    /// - Throws: ``SpaceError/textTooLong(field:limit:found:)``.
    func createSpace(name: String? = nil, description: String? = nil, iconCid: String? = nil) throws -> SpaceInfo {
        let details = try SpaceDetails(name: name, description: description, iconCid: iconCid)
        let account = keys.accountKey
        let time = now()
        let header = SpaceHeader(
            identity: account.publicKey, timestamp: time / 1000, spaceType: SpaceType.space.rawValue,
            replicationKey: UInt64.random(in: .min ... .max)
        ).signed(by: account)
        let metadata = MemberMetadata(name: try profileName())
        let root: RawRecordWithId
        let log: SpaceLog
        do {
            root = try .root(
                spaceId: header.spaceId, account: account, masterKey: keys.masterKey ?? account,
                metadata: metadata.bytes, timestamp: time / 1000
            )
            log = try SpaceLog(root: root, account: account)
        } catch {
            throw Self.spaceError(error)
        }
        var space = StoredSpace(
            info: SpaceInfo(
                id: header.spaceId, spaceType: .space, status: .active, ownRole: .owner, createdAt: time
            ),
            header: header.rawHeader
        )
        space.follow(log.state)
        try write { connection in
            try RecordTable(connection: connection).add(root, at: 0, of: space.id)
            if details.saysSomething { try change(&space, to: details, log, connection) }
            try save(space, connection)
        }
        logs.insert(log, for: space.id)
        return space.info
    }

    /// Renames a space, or changes what else its members see of it. A field that is `nil` stays, an empty one goes.
    ///
    /// - Throws: ``SpaceError/nothingToChange`` when all are absent; ``SpaceError/notFound``,
    ///   ``SpaceError/deleted``, ``SpaceError/notActive(_:)`` or ``SpaceError/readOnly(role:)`` when the account may
    ///   not write; ``SpaceError/textTooLong(field:limit:found:)``.
    func updateSpace(
        _ id: String, name: String? = nil, description: String? = nil, iconCid: String? = nil
    ) async throws {
        let details = try SpaceDetails(name: name, description: description, iconCid: iconCid)
        guard !details.texts.isEmpty else { throw SpaceError.nothingToChange }
        try await prepareLog(of: id)
        try write { connection in
            var (space, log) = try writable(id, connection)
            try change(&space, to: details, log, connection)
            try save(space, connection)
        }
    }

    /// Deletes a space here: its records and chats go, its row stays as a tombstone with its settings and its keys, by
    /// which phones read pushes that are still on their way. To delete it again changes nothing.
    ///
    /// - Throws: ``SpaceError/notFound``, or ``SpaceError/derivedStays`` for one that follows from the account's key.
    func deleteSpace(_ id: String) throws {
        try write { connection in
            var space = try stored(id, connection)
            guard !space.isTombstone || space.info.status != .deleted else { return }
            guard !space.info.isDerived || space.info.ownRole != .owner else { throw SpaceError.derivedStays }
            try bury(&space, connection)
        }
        logs.remove(id)
    }

    /// Makes a space a tombstone.
    func bury(_ space: inout StoredSpace, _ connection: SQLiteConnection) throws {
        space.info.status = .deleted
        space.info.ownRole = .none
        space.isTombstone = true
        space.recordCount = 0
        try dropContent(of: space.id, connection)
        try save(space, connection)
    }

    /// Changes a space's settings, which are this account's own. Every row has them, whatever its status.
    ///
    /// - Parameters:
    ///   - set: what is set; values that are no scalars are refused.
    ///   - unset: what is taken away.
    /// - Throws: ``SpaceError/noSettings``, ``SpaceError/invalidSetting(key:_:)``, ``SpaceError/notFound`` or
    ///   ``SpaceError/settingsTooLarge(limit:)``, in this order.
    func patchSettings(of id: String, set: JSONObject = [:], unset: [String] = []) throws {
        let patch = try SettingsPatch(set: set, unset: unset)
        try write { connection in
            var space = try stored(id, connection)
            let before = space.info.settings
            patch.apply(to: &space.info.settings)
            guard SpaceSettings.encode(space.info.settings).count <= SpaceSettings.maximumByteCount else {
                throw SpaceError.settingsTooLarge(limit: SpaceSettings.maximumByteCount)
            }
            let table = SettingTable(connection: connection)
            let time = try table.tick(at: now())
            for (key, value) in patch.writes where value != nil || before[key] != nil {
                try table.write(value, to: key, of: id, time: time)
            }
            try save(space, connection)
            if patch.touchesNotifyMode { tell(.spaceModeWritten(id)) }
        }
    }

    /// Makes the change of a space's details that says `details`.
    private func change(
        _ space: inout StoredSpace, to details: SpaceDetails, _ log: SpaceLog, _ connection: SQLiteConnection
    ) throws {
        let table = DetailsTable(connection: connection)
        let content = ChangeContent(
            counter: try table.nextCounter(of: space.id), createdAt: now(), kind: .spaceDetails, body: details.body
        )
        let change = try signedChange(content, in: space.id, log)
        _ = try table.apply(change, content, log: log, to: &space.info)
    }

    /// Forgets what a space holds.
    func dropContent(of id: String, _ connection: SQLiteConnection) throws {
        try RecordTable(connection: connection).drop(id)
        try DetailsTable(connection: connection).drop(id)
        try dropChats(of: id, connection)
    }
}
