import PushCrypto
import SQLiteStorage

// What members may do, and leaving.
extension AccountStore {
    /// Changes what a member may do.
    ///
    /// - Parameters:
    ///   - identity: the account, `A…`.
    ///   - role: admin, writer, reader or guest; only the owner makes admins, or takes that from one.
    ///   - id: the space.
    /// - Throws: ``SpaceError/invalidIdentity(field:)``, ``SpaceError/noSuchMember``, ``SpaceError/roleStays(_:)``,
    ///   ``SpaceError/roleNotAllowed(_:)``, ``SpaceError/forbidden(role:)``, ``SpaceError/membersAreFixed``, or an error
    ///   of the row.
    func setRole(of identity: String, to role: SpaceRole, in id: String) async throws {
        let account = try Self.identity(identity)
        try await changeMembers(of: id) { state throws(SpaceError) in
            let permissions = state.permissions(of: account)
            guard permissions.isMember else { throw .noSuchMember }
            guard account != state.identity, permissions != .owner, permissions != .admin || state.permissions == .owner
            else { throw .roleStays(SpaceRole(permissions)) }
            guard role != .owner, role != .none, role != .admin || state.permissions == .owner else {
                throw .roleNotAllowed(role)
            }
            guard permissions != role.permissions else { return [] }
            return [.setPermissions(of: account, to: role.permissions)]
        }
    }

    /// Asks to be removed from a space. The request is in the space's log, and travels with its export to an owner or admin,
    /// who removes the account. Until then the space is ``SpaceStatus/leaving``; to ask again changes nothing.
    ///
    /// - Throws: ``SpaceError/ownerStays``; ``SpaceError/forbidden(role:)`` for a guest, who does not ask;
    ///   ``SpaceError/membersAreFixed``, or an error of the row.
    func leaveSpace(_ id: String) async throws -> SpaceInfo {
        try await prepareLog(of: id)
        let (left, log) = try write { connection in
            var (space, log) = try active(id, connection)
            guard !log.state.isOneToOne else { throw SpaceError.membersAreFixed }
            guard space.info.status != .leaving else { return (space, log) }
            switch space.info.ownRole {
            case .owner: throw SpaceError.ownerStays
            case .guest: throw SpaceError.forbidden(role: .guest)
            default: break
            }
            let record: RawRecordWithId
            do throws(ACLWriteError) {
                record = try log.write([.askToLeave], timestamp: now() / 1000)
            } catch {
                throw Self.spaceError(error)
            }
            try logLimits.check(log)
            try RecordTable(connection: connection).add(record, at: space.recordCount, of: id)
            space.follow(log.state)
            try save(space, connection)
            return (space, log)
        }
        logs.insert(log, for: id)
        return left.info
    }
}
