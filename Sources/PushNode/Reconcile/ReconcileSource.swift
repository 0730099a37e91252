/// What a ``TopicReconciler`` reads: the account's spaces, their chats and their keys.
///
/// Whatever can not be read whole is an error: a list with something missing would be taken at its word, and could
/// unmute what the missing part mutes. Every call returns soon after its task is cancelled.
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
