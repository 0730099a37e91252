import PushCrypto
import SQLiteStorage

// By what others come into a space.
extension AccountStore {
    /// The live invites of a space, in the order of their ids.
    ///
    /// - Throws: ``SpaceError/notFound`` or ``SpaceError/deleted``.
    func invites(of id: String) async throws -> [SpaceInvite] {
        try await prepareLog(of: id)
        return try read { connection in
            let space = try stored(id, connection)
            guard !space.isTombstone else { throw SpaceError.deleted }
            let invites = try log(of: space, connection).state.invites.map(SpaceInvite.init)
            return invites.sorted { $0.id < $1.id }
        }
    }

    /// Revokes an invite. Who holds one that needs no approval holds the read key too, so the members get a new one; other
    /// invites stay.
    ///
    /// - Throws: ``SpaceError/noSuchInvite``, ``SpaceError/forbidden(role:)``, ``SpaceError/membersAreFixed``,
    ///   ``SpaceError/logTooLarge(_:limit:)``, or an error of the row.
    func revokeInvite(_ inviteId: String, of id: String) async throws {
        try await changeMembers(of: id) { state throws(SpaceError) in
            guard let invite = state.invite(inviteId) else { throw .noSuchInvite }
            let revoke = ACLChange.revokeInvite(recordId: inviteId)
            guard invite.type == .anyoneCanJoin else { return [revoke] }
            return [revoke, .changeReadKey(ACLKeys(), keepsInvites: true)]
        }
    }
}
