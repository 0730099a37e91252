/// A space as its row says.
public struct SpaceRow: Hashable, Sendable {
    /// The space's id.
    public var spaceId: String
    /// Whether the row's status is exactly `active`.
    public var isActive: Bool
    /// Whether the account's own role is exactly `owner`.
    public var isOwned: Bool
    /// Whether the space's type is exactly `any.onetoone`.
    public var isOneToOne: Bool
    /// `settings.notifyMode`, `nil` when it is absent or not a mode.
    public var mode: NotifyMode?

    /// A row; see the properties.
    public init(spaceId: String, isActive: Bool, isOwned: Bool, isOneToOne: Bool, mode: NotifyMode?) {
        self.spaceId = spaceId
        self.isActive = isActive
        self.isOwned = isOwned
        self.isOneToOne = isOneToOne
        self.mode = mode
    }
}

/// What a ``TopicReconciler`` reads: the account's spaces, their chats and their keys.
///
/// Whatever can not be read whole is an error: a list with something missing would be taken at its word, and could unmute
/// what the missing part mutes. Every call returns soon after its task is cancelled.
public protocol ReconcileSource: SpaceKeyProvider {
    /// Every space row of the account.
    ///
    /// - Throws: when not all rows, or not all their settings, could be read.
    func spaces() async throws -> [SpaceRow]

    /// Every chat of a space with its override, in the space's order.
    ///
    /// - Throws: when not all chats, or not all their overrides, could be read, as while the space is being loaded.
    func chats(of spaceId: String) async throws -> [SpaceModes.Chat]
}
