import PushCrypto

/// A space as the store has it: its row, and what clients do not see of it.
struct StoredSpace: Sendable {
    /// The row.
    var info: SpaceInfo
    /// `RawSpaceHeader`, from which the space's id follows.
    let header: [UInt8]
    /// Whether it was deleted here; its records and chats are gone then. One that is being imported again stays a tombstone,
    /// of the status ``SpaceStatus/unknown``, until its log is whole.
    var isTombstone = false {
        didSet { info.wasRemoved = isRemoval }
    }
    /// How many records of its log are stored.
    var recordCount = 0

    var id: String { info.id }

    private var isRemoval: Bool { info.status == .deleted && !isTombstone && info.spaceType == .space }

    /// Brings the row up to date with the space's log.
    ///
    /// Keys that the account had before stay: pushes that were sealed with them may still arrive.
    mutating func follow(_ state: ACLState) {
        recordCount = state.recordCount
        info.ownRole = SpaceRole(state.permissions)
        if !state.isOneToOne { info.author = state.accounts.first?.identity }
        info.isDerived = !state.isOneToOne && state.generations[0].metadataPublicKey == nil
        info.lacksKey = false
        defer { info.wasRemoved = isRemoval }
        do throws(ACLKeyUnavailable) {
            info.push = try state.pushKeys().receiverKeys
        } catch {
            info.lacksKey = error.isAMembersLack
        }
        guard !state.isOneToOne else { return }
        info.status =
            switch state.status {
            case _ where !state.permissions.isMember && state.status != .joining: .deleted
            case .joining: .joining
            case .removing: .leaving
            default: .active
            }
    }
}
