/// What a replayed ACL log says: who may do what in a space, and the keys of the account whose view it is (protocol.md §2).
public struct ACLState: Sendable, Equatable {
    /// The id of the root record, which is the id of the log.
    public let id: String
    /// The space, as the root names it.
    public let spaceId: String
    /// Whether the space is one of two writers who share all keys.
    public let isOneToOne: Bool
    /// The account whose view this is; `nil` for a view without keys.
    public var identity: PublicKey? { accountKey?.publicKey }

    let accountKey: SigningKey?

    /// The id of the last record.
    public internal(set) var head: String
    /// How many records the log has, the root included.
    public internal(set) var recordCount = 0
    /// Every account that the log names, in the order of their first appearance: members, and those that ask to be or were.
    public internal(set) var accounts: [ACLAccount] = []
    /// The read keys of the space and what belongs to them, oldest first; the last is the current one.
    public internal(set) var generations: [ACLKeyGeneration]

    var accountPositions: [PublicKey: Int] = [:]
    var inviteTable: [String: ACLInvite] = [:]
    // An invite key may serve several invites.
    var inviteIds: [PublicKey: Set<String>] = [:]
    var requestTable: [String: ACLRequest] = [:]
    var totals = Totals()

    /// What would take a walk over all accounts or invites to find out.
    struct Totals: Equatable {
        var members = 0
        var openInvites = 0
        var ownerPosition: Int?
    }

    init(id: String, spaceId: String, isOneToOne: Bool, accountKey: SigningKey?) {
        self.id = id
        self.spaceId = spaceId
        self.isOneToOne = isOneToOne
        self.accountKey = accountKey
        head = id
        generations = [ACLKeyGeneration(recordId: id)]
    }
}

extension ACLState {
    /// The account with this identity, when the log names it.
    public func account(_ identity: PublicKey) -> ACLAccount? {
        accountPositions[identity].map { accounts[$0] }
    }

    /// What an account may do now.
    public func permissions(of identity: PublicKey) -> ACLPermissions {
        account(identity)?.permissions ?? .none
    }

    /// The account whose view this is, when the log names it.
    public var ownAccount: ACLAccount? {
        identity.flatMap(account)
    }

    /// What the account whose view this is may do now.
    public var permissions: ACLPermissions { ownAccount?.permissions ?? .none }

    /// Where the account whose view this is stands now.
    public var status: ACLStatus { ownAccount?.status ?? .none }

    /// The members, in the order of their first appearance.
    public var members: [ACLAccount] { accounts.filter(\.isMember) }

    /// How many members there are.
    public var memberCount: Int { totals.members }

    /// The owner. In a one-to-one space it is the key that both writers share.
    public var owner: PublicKey? {
        // Trusted contents may make several owners; the one that came last is at hand until it changes.
        let account = totals.ownerPosition.map { accounts[$0] } ?? accounts.first { $0.permissions == .owner }
        return account?.identity
    }

    /// The live invites, in no order.
    public var invites: [ACLInvite] { Array(inviteTable.values) }

    /// The live invite that a record made.
    public func invite(_ recordId: String) -> ACLInvite? { inviteTable[recordId] }

    /// The unanswered requests, in no order.
    public var requests: [ACLRequest] { Array(requestTable.values) }

    /// The unanswered request that a record made.
    public func request(_ recordId: String) -> ACLRequest? { requestTable[recordId] }

    /// The record of an account's unanswered request to join.
    public func openJoinRequest(of identity: PublicKey) -> String? {
        guard let id = account(identity)?.pendingRequestId, requestTable[id]?.kind == .join else { return nil }
        return id
    }

    /// The record that made the current read key.
    public var currentReadKeyId: String { currentGeneration.recordId }

    var currentGeneration: ACLKeyGeneration { generations[generations.count - 1] }
}
