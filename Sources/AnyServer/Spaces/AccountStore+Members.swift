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
    func members(of id: String) async throws -> [SpaceMember] {
        try await prepareLog(of: id)
        let own = try profileName()
        let state = try read { connection in
            let space = try stored(id, connection)
            guard !space.isTombstone else { throw SpaceError.deleted }
            return try log(of: space, connection).state
        }
        return await Self.members(in: state, as: keys.accountKey.publicKey, named: own)
    }

    // Off the store's thread: every name is decrypted.
    @concurrent private static func members(
        in state: ACLState, as account: PublicKey, named own: String?
    ) async -> [SpaceMember] {
        let names = MemberNames(state)
        return state.accounts.compactMap { member in
            // The owner of a space of two is a key that no account has.
            if state.isOneToOne, member.permissions == .owner { return nil }
            return SpaceMember(
                identity: member.identity, role: SpaceRole(member.permissions), status: member.status,
                name: member.identity == account ? own : names.name(of: member)
            )
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
    ///   ``SpaceError/tooManyMembers(limit:)``, ``SpaceError/logTooLarge(_:limit:)``, ``SpaceError/keyMissing(_:)``, or an error of the row.
    func addMember(_ identity: String, role: SpaceRole = .writer, to id: String) async throws -> SpaceMember {
        let account = try Self.identity(identity)
        try await changeMembers(of: id) { state throws(SpaceError) in
            guard !state.permissions(of: account).isMember else { throw .alreadyMember }
            guard role != .owner, role != .none, role != .admin || state.permissions == .owner else {
                throw .roleNotAllowed(role)
            }
            guard state.memberCount < Self.memberLimit else { throw .tooManyMembers(limit: Self.memberLimit) }
            // Who has asked to join comes in as it asked, with its name.
            if let request = state.openJoinRequest(of: account) {
                return [.accept(requestId: request, permissions: role.permissions)]
            }
            return [.add([ACLChange.NewMember(identity: account, permissions: role.permissions)])]
        }
        return SpaceMember(identity: account, role: role, status: .active, name: nil)
    }

    /// Takes an account out of a space, makes a new read key for those that stay, and revokes every invite.
    ///
    /// - Parameters:
    ///   - identity: the account, `A…`.
    ///   - id: the space.
    /// - Throws: ``SpaceError/invalidIdentity(field:)``, ``SpaceError/noSuchMember``, ``SpaceError/memberStays(_:)``,
    ///   ``SpaceError/forbidden(role:)``, ``SpaceError/membersAreFixed``, or an error of the row.
    func removeMember(_ identity: String, from id: String) async throws {
        let account = try Self.identity(identity)
        try await changeMembers(of: id) { state throws(SpaceError) in
            let permissions = state.permissions(of: account)
            guard permissions.isMember else { throw .noSuchMember }
            let isOwn = account == state.identity
            guard !isOwn, permissions != .owner, permissions != .admin || state.permissions == .owner else {
                throw .memberStays(SpaceRole(permissions))
            }
            return [.remove([account], keys: ACLKeys())]
        }
    }

    /// Makes a new read key for a space's members, and revokes every invite.
    ///
    /// - Throws: ``SpaceError/forbidden(role:)``, ``SpaceError/membersAreFixed``, or an error of the row.
    func rotateReadKey(of id: String) async throws {
        try await changeMembers(of: id) { _ in [.changeReadKey(ACLKeys())] }
    }

    /// Writes a record about who is in a space.
    func changeMembers(
        of id: String, _ changes: (ACLState) throws(SpaceError) -> [ACLChange]
    ) async throws {
        try await prepareLog(of: id)
        let changed = try write { connection in
            var (space, log) = try active(id, connection)
            guard !log.state.isOneToOne else { throw SpaceError.membersAreFixed }
            guard log.state.permissions.canManageAccounts else { throw SpaceError.forbidden(role: space.info.ownRole) }
            let wanted = try changes(log.state)
            guard !wanted.isEmpty else { return log }
            let record: RawRecordWithId
            do throws(ACLWriteError) {
                record = try log.write(wanted, timestamp: now() / 1000)
            } catch {
                throw Self.spaceError(error)
            }
            try logLimits.check(log)
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
        case ACLWriteError.keyUnavailable(let reason) where reason.isAMembersLack: SpaceError.keyMissing(reason)
        case ACLWriteError.cannotEncrypt, ACLWriteError.noSharedKeys: SpaceError.invalidIdentity(field: "identity")
        case let error as ACLWriteError: SpaceError.notWritten(error)
        case let error as ACLError: SpaceError.notWritten(.refused(error))
        default: error
        }
    }
}
