import PushCrypto

/// A live invite of a space.
struct SpaceInvite: Hashable, Sendable {
    /// How one comes in by it.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        /// One asks, and is accepted or declined.
        case requestToJoin = "request_to_join"
        /// One joins by oneself.
        case anyoneCanJoin = "anyone_can_join"
        /// In a way that newer software knows.
        case unknown
    }

    /// The record that made it.
    let id: String
    let kind: Kind
    /// Who made it.
    let author: PublicKey
    /// What one may do who joins by oneself.
    let role: SpaceRole

    init(_ invite: ACLInvite) {
        id = invite.recordId
        kind =
            switch invite.type {
            case .requestToJoin: .requestToJoin
            case .anyoneCanJoin: .anyoneCanJoin
            default: .unknown
            }
        author = invite.author
        role = SpaceRole(invite.permissions)
    }

    /// The invite as clients see it.
    var json: JSONObject {
        var invite: JSONObject = [
            "id": .string(id), "type": .string(kind.rawValue), "author": .string(author.accountAddress),
        ]
        if kind == .anyoneCanJoin {
            invite["permission"] = .string(role.rawValue)
            invite["role"] = .string(role.rawValue)
        }
        return invite
    }
}
