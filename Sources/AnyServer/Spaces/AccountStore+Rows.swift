import PushCrypto
import SQLiteStorage

// What every operation on a space begins with.
extension AccountStore {
    /// The rows.
    func spaceTable(_ connection: SQLiteConnection) -> SpaceTable {
        SpaceTable(connection: connection, key: storageKey)
    }

    /// A space that the account has.
    ///
    /// - Throws: ``SpaceError/notFound``.
    func stored(_ id: String, _ connection: SQLiteConnection) throws -> StoredSpace {
        guard let space = try spaceTable(connection).space(id) else { throw SpaceError.notFound }
        return space
    }

    /// Writes a row and tells of it.
    func save(_ space: StoredSpace, _ connection: SQLiteConnection) throws {
        try spaceTable(connection).save(space)
        tell(.spaceChanged(space.id))
    }

    /// A space that the account is a member of.
    ///
    /// - Throws: ``SpaceError/notFound``, ``SpaceError/deleted``, ``SpaceError/removed`` or
    ///   ``SpaceError/notActive(_:)``.
    func active(_ id: String, _ connection: SQLiteConnection) throws -> (space: StoredSpace, log: SpaceLog) {
        let space = try stored(id, connection)
        switch space.info.status {
        case .active, .leaving: return (space, try log(of: space, connection))
        case .deleted: throw space.info.wasRemoved ? SpaceError.removed : SpaceError.deleted
        default: throw SpaceError.notActive(space.info.status)
        }
    }

    /// A space whose content the account may change.
    ///
    /// - Throws: as ``active(_:_:)``, or ``SpaceError/readOnly(role:)``.
    func writable(_ id: String, _ connection: SQLiteConnection) throws -> (space: StoredSpace, log: SpaceLog) {
        let (space, log) = try active(id, connection)
        guard log.state.permissions.mayWrite else { throw SpaceError.readOnly(role: space.info.ownRole) }
        return (space, log)
    }
}
