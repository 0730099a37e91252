/// An ``ACLState`` that can be taken back to where it was when a record began.
///
/// Every change goes through the methods here, which note what was there before: a record costs what it changes, not what
/// the log has grown to.
struct ACLJournal: Sendable {
    private enum Change {
        case account(Int, ACLAccount)
        case newAccount
        case invite(String, ACLInvite?)
        case request(String, ACLRequest?)
        case generation(Int, ACLKeyGeneration)
        case newGeneration
    }

    // Most records change little; what a large one took is given back.
    private static let keptCapacity = 256

    private(set) var state: ACLState
    private var changes: [Change] = []
    private var totalsBefore: ACLState.Totals

    // For each account the last list in which it was seen, so that a list of accounts is compared with the members in one
    // walk and without a set. No part of the state: numbers only grow.
    private var marks: [Int] = []
    private var lastMark = 0

    // How often a walk down the generations may yet pass one that its key does not open. Logs of bad intent would make
    // each of their records walk past all others.
    private var passesLeft = 100_000

    /// The positions of the accounts that the last record changed, each at least once.
    private(set) var changedAccounts: [Int] = []

    init(_ state: ACLState) {
        self.state = state
        totalsBefore = state.totals
    }

    // MARK: Records

    /// Keeps all changes and makes the record the last one.
    mutating func commit(recordId: String) {
        changedAccounts = changes.compactMap { if case .account(let position, _) = $0 { position } else { nil } }
        changes.removeAll(keepingCapacity: changes.count <= Self.keptCapacity)
        state.head = recordId
        state.recordCount += 1
        totalsBefore = state.totals
    }

    /// Takes all changes back.
    mutating func rollBack() {
        while let change = changes.popLast() {
            switch change {
            case .account(let position, let old):
                state.accounts[position] = old
            case .newAccount:
                if let account = state.accounts.popLast() { state.accountPositions[account.identity] = nil }
            case .invite(let id, let old):
                replaceInvite(id, with: old)
            case .request(let id, let old):
                state.requestTable[id] = old
            case .generation(let position, let old):
                state.generations[position] = old
            case .newGeneration:
                state.generations.removeLast()
            }
        }
        state.totals = totalsBefore
    }

    // MARK: Accounts

    /// The account's position; an account that the log did not know is put there without permissions.
    mutating func position(of identity: PublicKey) -> Int {
        if let position = state.accountPositions[identity] { return position }
        let position = state.accounts.count
        state.accounts.append(
            ACLAccount(identity: identity, permissions: .none, status: .none, encryptedMetadata: [], generation: nil)
        )
        state.accountPositions[identity] = position
        changes.append(.newAccount)
        return position
    }

    /// Changes an account.
    mutating func update(_ position: Int, _ change: (inout ACLAccount) -> Void) {
        let old = state.accounts[position]
        changes.append(.account(position, old))
        change(&state.accounts[position])
        let permissions = state.accounts[position].permissions
        state.totals.members += (permissions.isMember ? 1 : 0) - (old.permissions.isMember ? 1 : 0)
        if permissions == .owner {
            state.totals.ownerPosition = position
        } else if state.totals.ownerPosition == position {
            state.totals.ownerPosition = nil
        }
    }

    // MARK: Invites and requests

    /// Puts an invite there, changes it, or removes it.
    mutating func setInvite(_ id: String, _ invite: ACLInvite?) {
        changes.append(.invite(id, state.inviteTable[id]))
        replaceInvite(id, with: invite)
    }

    private mutating func replaceInvite(_ id: String, with invite: ACLInvite?) {
        if let old = state.inviteTable.removeValue(forKey: id) {
            state.totals.openInvites -= old.type == .anyoneCanJoin ? 1 : 0
            state.inviteIds[old.key]?.remove(id)
            if state.inviteIds[old.key]?.isEmpty == true { state.inviteIds[old.key] = nil }
        }
        guard let invite else { return }
        state.inviteTable[id] = invite
        state.totals.openInvites += invite.type == .anyoneCanJoin ? 1 : 0
        state.inviteIds[invite.key, default: []].insert(id)
    }

    /// Puts a request there or removes it.
    mutating func setRequest(_ id: String, _ request: ACLRequest?) {
        changes.append(.request(id, state.requestTable[id]))
        state.requestTable[id] = request
    }

    /// Removes the request of an account that is still pending.
    mutating func settleRequest(of position: Int) {
        guard let id = state.accounts[position].pendingRequestId else { return }
        setRequest(id, nil)
        update(position) { $0.pendingRequestId = nil }
    }

    // MARK: Keys

    /// Makes a generation the current one.
    mutating func append(_ generation: ACLKeyGeneration) {
        changes.append(.newGeneration)
        state.generations.append(generation)
    }

    /// Changes a generation.
    mutating func updateGeneration(_ position: Int, _ change: (inout ACLKeyGeneration) -> Void) {
        changes.append(.generation(position, state.generations[position]))
        change(&state.generations[position])
    }

    /// Whether a walk may pass a generation, which counts.
    mutating func takePass() -> Bool {
        passesLeft -= 1
        return passesLeft >= 0
    }

    // MARK: Lists of accounts

    /// A mark that no account carries yet.
    mutating func newMark() -> Int {
        lastMark += 1
        return lastMark
    }

    /// Marks an account.
    ///
    /// - Returns: the mark it had before, 0 for none.
    mutating func mark(_ position: Int, _ mark: Int) -> Int {
        while marks.count <= position { marks.append(0) }
        defer { marks[position] = mark }
        return marks[position]
    }
}
