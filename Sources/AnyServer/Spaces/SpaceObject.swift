import PushCrypto

/// The ids of objects that nobody makes: every member computes them alike, as the ``CID`` of a domain and the space's id.
enum SpaceObject {
    // Keep the ids apart from one another and from the hash of anything else.
    private static let indexDomain = "any.space.index.v1:"
    private static let accountDomain = "any.account.space.v1:"

    /// The id of what a space says of itself. Nothing is kept of it here: its content is the space's row.
    static func index(of spaceId: String) -> String {
        CID(of: Array((indexDomain + spaceId).utf8)).text
    }

    /// The id of the account's own space, which holds the rows of all others. It has no routes here.
    static func accountSpace(of accountId: String) -> String {
        CID(of: Array((accountDomain + accountId).utf8)).text
    }
}
