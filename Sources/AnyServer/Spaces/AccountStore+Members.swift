import PushCrypto
import SQLiteStorage

// Who is in a space.
extension AccountStore {
    /// The most members of a space: a record that changes the read key must fit into a batch of an import.
    static let memberLimit = 4000

    /// The accounts that a space's log names, in the order in which they came: members, those that ask to be and those
    /// that were. For a space of two its two accounts.
    ///
    /// - Throws: ``SpaceError/notFound`` or ``SpaceError/deleted``.
    func members(of id: String) throws -> [SpaceMember] {
        let own = try profileName()
        return try read { connection in
            let space = try stored(id, connection)
            guard !space.isTombstone else { throw SpaceError.deleted }
            let state = try log(of: space, connection).state
            return state.accounts.compactMap { account in
                // The owner of a space of two is a key that no account has.
                if state.isOneToOne, account.permissions == .owner { return nil }
                let isOwn = account.identity == keys.accountKey.publicKey
                let name = isOwn ? own : MemberMetadata((try? state.metadata(of: account.identity)) ?? []).name
                return SpaceMember(
                    identity: account.identity, role: SpaceRole(account.permissions), status: account.status, name: name
                )
            }
        }
    }

    /// Lets an account into a space.
    ///
    /// - Parameters:
    ///   - identity: the account, `A…`.
    ///   - role: what it may do: admin, writer, reader or guest; only the owner makes admins.
    ///   - id: the space.
    /// - Throws: ``SpaceError/invalidIdentity(field:)``, ``SpaceError/alreadyMember``,
    ///   ``SpaceError/roleNotAllowed(_:)``, ``SpaceError/forbidden(role:)``, ``SpaceError/membersAreFixed``,
    ///   ``SpaceError/tooManyMembers(limit:)``, or an error of the row.
    func addMember(_ identity: String, role: SpaceRole = .writer, to id: String) throws -> SpaceMember {
        let account = try Self.identity(identity)
        try changeMembers(of: id) { state throws(SpaceError) in
            guard !state.permissions(of: account).isMember else { throw .alreadyMember }
            guard role != .owner, role != .none, role != .admin || state.permissions == .owner else {
                throw .roleNotAllowed(role)
            }
            guard state.memberCount < Self.memberLimit else { throw .tooManyMembers(limit: Self.memberLimit) }
            return .add([ACLChange.NewMember(identity: account, permissions: role.permissions)])
        }
        return SpaceMember(identity: account, role: role, status: .active, name: nil)
    }

    /// Takes an account out of a space, and makes a new read key for those that stay.
    ///
    /// - Parameters:
    ///   - identity: the account, `A…`.
    ///   - id: the space.
    /// - Throws: ``SpaceError/invalidIdentity(field:)``, ``SpaceError/noSuchMember``, ``SpaceError/memberStays(_:)``,
    ///   ``SpaceError/forbidden(role:)``, ``SpaceError/membersAreFixed``, or an error of the row.
    func removeMember(_ identity: String, from id: String) throws {
        let account = try Self.identity(identity)
        try changeMembers(of: id) { state throws(SpaceError) in
            let permissions = state.permissions(of: account)
            guard permissions.isMember else { throw .noSuchMember }
            let isOwn = account == state.identity
            guard !isOwn, permissions != .owner, permissions != .admin || state.permissions == .owner else {
                throw .memberStays(SpaceRole(permissions))
            }
            return .remove([account], keys: ACLKeys())
        }
    }

    /// Makes a new read key for a space's members.
    ///
    /// - Throws: ``SpaceError/forbidden(role:)``, ``SpaceError/membersAreFixed``, or an error of the row.
    func rotateReadKey(of id: String) throws {
        try changeMembers(of: id) { _ in .changeReadKey(ACLKeys()) }
    }

    private func changeMembers(of id: String, _ change: (ACLState) throws(SpaceError) -> ACLChange) throws {
        let changed = try write { connection in
            var (space, log) = try active(id, connection)
            guard !log.state.isOneToOne else { throw SpaceError.membersAreFixed }
            guard log.state.permissions.canManageAccounts else { throw SpaceError.forbidden(role: space.info.ownRole) }
            let wanted = try change(log.state)
            let record: RawRecordWithId
            do throws(ACLWriteError) {
                record = try log.write([wanted], timestamp: now() / 1000)
            } catch {
                throw Self.spaceError(error)
            }
            try RecordTable(connection: connection).add(record, at: space.recordCount, of: id)
            space.follow(log.state)
            try save(space, connection)
            return log
        }
        logs.insert(changed, for: id)
    }

    /// What refusing or failing to write a record means.
    static func spaceError(_ error: any Error) -> any Error {
        switch error {
        case ACLWriteError.cannotEncrypt, ACLWriteError.noSharedKeys: SpaceError.invalidIdentity(field: "identity")
        case let error as ACLWriteError: SpaceError.notWritten(error)
        case let error as ACLError: SpaceError.notWritten(.refused(error))
        default: error
        }
    }
}
