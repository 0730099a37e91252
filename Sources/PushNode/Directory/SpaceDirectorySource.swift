import ProtoWire
public import PushCrypto

/// Reads a ``SpaceDirectory`` for ``TopicReconciler`` and ``PushHooks``.
///
/// It hands on what the directory has and adds nothing: an error of the directory stays one, so what holds of
/// ``ReconcileSource`` holds of the directory, and no failure of it unmutes a chat.
public struct SpaceDirectorySource: ReconcileSource, ChatContextSource {
    private let directory: any SpaceDirectory
    private let keyring: SpaceKeyring

    /// A source.
    ///
    /// - Parameters:
    ///   - directory: the account's spaces.
    ///   - keyring: the keys of the same spaces.
    public init(directory: any SpaceDirectory, keyring: SpaceKeyring) {
        self.directory = directory
        self.keyring = keyring
    }

    public func spaces() async throws -> [SpaceRow] {
        try await directory.spaces().map(SpaceRow.init)
    }

    public func chats(of spaceId: String) async throws -> [SpaceModes.Chat] {
        try await directory.chats(of: spaceId).map { SpaceModes.Chat(chatId: $0.id, mode: $0.notifyMode) }
    }

    public func keys(of spaceId: String) async throws -> SpacePushKeys? {
        try await keyring.keys(of: spaceId)
    }

    /// The names for a notification; what can not be read is left empty, for a notification without a name is better
    /// than none.
    ///
    /// - Throws: `CancellationError`.
    public func context(of chatId: String, in spaceId: String) async throws -> ChatContext {
        let space = try await unlessFailing { try await directory.space(spaceId) }
        let chat = try await unlessFailing { try await directory.chat(chatId, of: spaceId) }
        let sender: WireString? = try await unlessFailing { try await directory.profileName() }
        return ChatContext(
            spaceName: space?.name ?? "", chatName: chat?.name ?? "", senderName: sender ?? "",
            isOneToOne: space?.isOneToOne ?? false
        )
    }

    private func unlessFailing<Value>(_ read: () async throws -> Value?) async throws -> Value? {
        do {
            return try await read()
        } catch {
            try Task.checkCancellation()
            return nil
        }
    }
}
