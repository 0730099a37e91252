import ProtoWire
import PushCrypto
import PushNode

/// The spaces of a host with a sync of its own, kept in memory here.
actor ExampleSpaces: SpaceDirectory {
    struct StillLoading: Error {}

    struct Space {
        var row: DirectorySpace
        var records: [RawRecordWithId]
        /// `nil` until the host's sync has loaded all of them.
        var chats: [DirectoryChat]?
    }

    private var table: [String: Space] = [:]
    private nonisolated let feed = DirectoryChangeFeed()

    /// The sync brought a space, or more of one.
    func put(_ space: Space) {
        table[space.row.id] = space
        feed.send(.space(space.row.id))
    }

    /// The user chose what to hear of a space.
    func setMode(_ mode: NotifyMode?, of spaceId: String) {
        table[spaceId]?.row.notifyMode = mode
    }

    func spaces() -> [DirectorySpace] {
        table.values.map(\.row)
    }

    func aclRecords(of spaceId: String, from index: Int, limit: Int) -> [RawRecordWithId] {
        Array((table[spaceId]?.records ?? []).dropFirst(index).prefix(limit))
    }

    func chats(of spaceId: String) throws -> [DirectoryChat] {
        // Never a part of them: a list without a muted chat would unmute it.
        guard let chats = table[spaceId]?.chats else { throw StillLoading() }
        return chats
    }

    func profileName() -> WireString {
        "Ada"
    }

    nonisolated func changes() -> AsyncStream<DirectoryChange> {
        feed.stream()
    }
}

/// A host that embeds push for one account.
struct ExampleHost {
    let spaces = ExampleSpaces()
    let push: PushAccount

    init(
        account: SigningKey, device: SigningKey, node: PushNodeLocation, tokens: any DeviceTokenPersistence,
        log: @escaping PushEventHandler
    ) {
        let options = PushOptions(account: account, device: device, node: node)
        push = PushAccount(options, directory: spaces, tokens: tokens, onEvent: log)
    }

    /// The user sends a message: it is stored first, and push never makes the user wait.
    func send(_ text: String, as messageId: String, to chatId: String, in spaceId: String) {
        let message = StoredMessage(
            spaceId: spaceId, chatId: chatId, messageId: messageId, text: WireString(text), attachmentCount: 0,
            mentions: []
        )
        push.messageSent(message)
    }

    /// The user mutes a space: push knows of it before the user is answered.
    func mute(_ spaceId: String) async {
        await spaces.setMode(NotifyMode.none, of: spaceId)
        await push.spaceModeWritten()
    }
}
