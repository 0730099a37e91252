import PushCrypto
import SQLiteStorage

// Spaces of two, which follow from the two accounts: both make the same space by themselves.
extension AccountStore {
    /// Makes the space of this account and another, or takes up the one that is there, whatever became of it.
    ///
    /// - Parameter identity: the other account, `A…`.
    /// - Returns: the row, which is active.
    /// - Throws: ``SpaceError/invalidIdentity(field:)`` or ``SpaceError/ownIdentity``.
    func createOneToOne(with identity: String) throws -> SpaceInfo {
        let account = keys.accountKey
        let peer = try Self.identity(identity)
        guard peer != account.publicKey else { throw SpaceError.ownIdentity }
        let header: SpaceHeader.Signed
        let root: RawRecordWithId
        let log: SpaceLog
        do {
            header = try SpaceHeader.oneToOne(account: account, other: peer, spaceType: SpaceType.oneToOne.rawValue)
            root = try .oneToOneRoot(spaceId: header.spaceId, account: account, other: peer)
            log = try SpaceLog(root: root, account: account)
        } catch {
            throw Self.spaceError(error)
        }
        let space = try write { connection in
            var space: StoredSpace
            if let known = try spaceTable(connection).space(header.spaceId) {
                guard known.info.status != .active else { return known }
                space = known
            } else {
                space = StoredSpace(
                    info: SpaceInfo(
                        id: header.spaceId, spaceType: .oneToOne, peer: peer, status: .active, ownRole: .none,
                        createdAt: now()
                    ),
                    header: header.rawHeader
                )
            }
            if space.recordCount == 0 {
                try RecordTable(connection: connection).add(root, at: 0, of: space.id)
            }
            space.isTombstone = false
            space.info.status = .active
            space.follow(log.state)
            try save(space, connection)
            return space
        }
        logs.insert(log, for: space.id)
        return space.info
    }

    /// Accepts a space of two that the other account began. One that was declined can still be accepted.
    ///
    /// - Throws: ``SpaceError/notFound``, ``SpaceError/deleted`` or ``SpaceError/notOneToOne``.
    func acceptOneToOne(_ id: String) throws -> SpaceInfo {
        try answer(id, by: .active)
    }

    /// Declines a space of two that the other account began. An export that comes later does not ask again.
    ///
    /// - Throws: ``SpaceError/notFound``, ``SpaceError/deleted``, ``SpaceError/notOneToOne``, or
    ///   ``SpaceError/notPending`` for one that was accepted.
    func declineOneToOne(_ id: String) throws -> SpaceInfo {
        try answer(id, by: .oneToOneDeclined)
    }

    private func answer(_ id: String, by status: SpaceStatus) throws -> SpaceInfo {
        try write { connection in
            var space = try stored(id, connection)
            guard space.info.spaceType == .oneToOne else { throw SpaceError.notOneToOne }
            guard space.info.status != .deleted else { throw SpaceError.deleted }
            guard space.info.status != status else { return space.info }
            guard space.info.status != .active else { throw SpaceError.notPending }
            space.info.status = status
            try save(space, connection)
            return space.info
        }
    }

    /// The account that a text names.
    static func identity(_ text: String) throws(SpaceError) -> PublicKey {
        do throws(AddressError) { return try PublicKey(accountAddress: text) } catch {
            throw .invalidIdentity(field: "identity")
        }
    }
}
