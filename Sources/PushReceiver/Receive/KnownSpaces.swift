/// What the app knows of a space by its own row.
///
/// It goes before what a payload says: a payload's names are the words of one member, and the row is what all agree on.
public struct KnownSpace: Hashable, Sendable {
    /// The space's name; when empty, the payload's is shown.
    public var name: String
    /// Whether the space is one of two people.
    public var isOneToOne: Bool
    /// The names of the space's chats by their ids. For a chat that is not among them the payload's name is shown.
    public var chatNames: [String: String]

    /// A space; see the properties.
    public init(name: String, isOneToOne: Bool, chatNames: [String: String] = [:]) {
        self.name = name
        self.isOneToOne = isOneToOne
        self.chatNames = chatNames
    }
}

/// Where a receiver looks up the app's own rows.
public protocol KnownSpaces: Sendable {
    /// What the app knows of a space, `nil` when it has no row of it.
    func space(withId id: String) -> KnownSpace?
}

/// Rows in memory, by the spaces' ids.
extension [String: KnownSpace]: KnownSpaces {
    public func space(withId id: String) -> KnownSpace? { self[id] }
}
