import PushCrypto

/// A space's log while an import adds to it.
struct IncomingLog: Sendable {
    // The end of the year 9999, in seconds since 1970: dates beyond it have no text.
    private static let latestTimestamp: Int64 = 253_402_300_799

    private let batch: ImportBatch
    private let account: SigningKey
    private let limits: SpaceLogLimits
    /// The log, `nil` as long as there is no root.
    private(set) var log: SpaceLog?
    /// The records that came in, with their positions.
    private(set) var added: [(position: Int, record: RawRecordWithId)] = []

    /// - Parameters:
    ///   - batch: what comes in.
    ///   - log: what is here already.
    ///   - account: the account whose view it is.
    ///   - limits: how far the log may grow.
    init(batch: ImportBatch, log: SpaceLog?, account: SigningKey, limits: SpaceLogLimits) {
        self.batch = batch
        self.log = log
        self.account = account
        self.limits = limits
    }

    /// How many records it has.
    var count: Int { log?.state.recordCount ?? 0 }

    /// Adds a record at the end.
    ///
    /// - Throws: ``SpaceError/gap(expected:found:)``, ``SpaceError/logTooLarge(_:limit:)``, or
    ///   ``SpaceError/badLine(number:reason:)`` for a record that the rules of the log do not allow or a root that is
    ///   another space's.
    mutating func admit(_ record: RawRecordWithId, at position: Int, line: Int) throws(SpaceError) {
        guard position == count else { throw .gap(expected: count, found: position) }
        do throws(ACLError) {
            if log == nil {
                log = try SpaceLog(root: record, account: account)
            } else {
                try log?.admit(record)
            }
        } catch {
            throw .badLine(number: line, reason: "\(error)")
        }
        if position == 0, let fault = rootFault { throw .badLine(number: line, reason: fault) }
        if let log { try limits.check(log) }
        added.append((position, record))
    }

    /// Checks that a record which came in before is this one.
    ///
    /// - Throws: ``SpaceError/fork(position:local:imported:)``.
    func expect(_ record: RawRecordWithId, at position: Int) throws(SpaceError) {
        let before = added.first { $0.position == position }?.record.id ?? ""
        guard before == record.id else { throw .fork(position: position, local: before, imported: record.id) }
    }

    /// The row of a space that is new here.
    func row(now: Int64) -> SpaceInfo {
        let timestamp = batch.headerFields.timestamp
        let hasTimestamp = (1...Self.latestTimestamp).contains(timestamp)
        return SpaceInfo(
            id: batch.spaceId, spaceType: batch.type, peer: peer, status: .unknown, ownRole: .none,
            createdAt: hasTimestamp ? timestamp * 1000 : now
        )
    }

    /// Why the root does not belong to the space's header.
    private var rootFault: String? {
        guard let state = log?.state else { return nil }
        guard state.isOneToOne == (batch.type == .oneToOne) else { return "the root is not of the space's type" }
        let maker = state.isOneToOne ? state.owner : state.accounts.first?.identity
        guard maker == batch.headerFields.identity else { return "the root is not by the maker of the space" }
        // The reference leaves the id of a space of two out, since it follows from the two accounts.
        guard state.spaceId == batch.spaceId || state.isOneToOne && state.spaceId.isEmpty else {
            return "the root is another space's"
        }
        guard let peer else { return nil }
        let header = try? SpaceHeader.oneToOne(account: account, other: peer, spaceType: batch.type.rawValue)
        return header?.spaceId == batch.spaceId ? nil : "the space is not the one that follows from its two accounts"
    }

    /// The other account of a space of two that this account is one of.
    private var peer: PublicKey? {
        guard let state = log?.state, state.isOneToOne, state.permissions.isMember else { return nil }
        return state.members.first { $0.identity != account.publicKey && $0.permissions != .owner }?.identity
    }
}
