import PushCrypto

/// Why something can not be done with a space. Says nothing of what a space holds.
enum SpaceError: Error, Hashable, Sendable {
    /// The account has no such space.
    case notFound
    /// The account's role does not allow it.
    case forbidden(role: SpaceRole)
    /// The account may read the space and not write to it.
    case readOnly(role: SpaceRole)
    /// The space was deleted here.
    case deleted
    /// The account was removed from the space.
    case removed
    /// The imported space was deleted here, and nobody said that it is to come back.
    case deletedBefore
    /// The space follows from the account's key, so it would only come again.
    case derivedStays
    /// It is the account's own space, of which there is no such route.
    case unsupported
    /// The account is no member yet, or the space is not whole yet.
    case notActive(SpaceStatus)
    /// It is no space of two.
    case notOneToOne
    /// The space of two was accepted already.
    case notPending
    /// The members of a space of two never change.
    case membersAreFixed
    /// The text is no account's identity, or none that anything can be encrypted to.
    case invalidIdentity(field: String)
    /// A space of two is of two.
    case ownIdentity
    /// The account is a member already.
    case alreadyMember
    /// The account is no member.
    case noSuchMember
    /// The owner, and oneself, can not be removed; an admin only by the owner.
    case memberStays(SpaceRole)
    /// The role of the owner, and one's own, can not be changed; an admin's only by the owner.
    case roleStays(SpaceRole)
    /// The owner of a space can not leave it.
    case ownerStays
    /// The role can not be given by this account.
    case roleNotAllowed(SpaceRole)
    /// As many members as a space can have.
    case tooManyMembers(limit: Int)
    /// Nothing to change was given.
    case nothingToChange
    /// The space's log has as many accounts, records or bytes as are kept.
    case logTooLarge(SpaceLogLimits.Measure, limit: Int)
    /// The account is a member that was not given the space's current key.
    case keyMissing(ACLKeyUnavailable)
    /// The space has no live invite of this id.
    case noSuchInvite
    /// A text is longer than is kept.
    case textTooLong(field: String, limit: Int, found: Int)
    /// A settings patch without entries.
    case noSettings
    /// A setting's name or value is not allowed.
    case invalidSetting(key: String, SettingFault)
    /// More settings than are kept, in bytes.
    case settingsTooLarge(limit: Int)
    /// The imported log and the one here part.
    case fork(position: Int, local: String, imported: String)
    /// An imported log does not continue the one here.
    case gap(expected: Int, found: Int)
    /// The imported space is not one of this account.
    case notMember
    /// An imported line is not what it should be; nothing of its batch was taken.
    case badLine(number: Int, reason: String)
    /// Newer software has made the export; nothing of its batch was taken.
    case newerExport(line: Int)
    /// The cursor of an export's page is none.
    case badCursor
    /// What a stored space holds is damaged, which is not the caller's fault.
    case damaged(String)
    /// A record could not be written.
    case notWritten(ACLWriteError)

    /// What is wrong with a setting.
    enum SettingFault: Hashable, Sendable {
        case emptyKey
        case dotInKey
        case notScalar
        case inBoth
    }
}

extension SpaceError: CustomStringConvertible {
    var description: String { logText }
}
