import ProtoWire
import PushCrypto
import PushNode

/// An account's store as push reads it.
struct AccountSpaceDirectory: SpaceDirectory {
    private let store: AccountStore

    /// - Parameter store: where the spaces are.
    init(_ store: AccountStore) {
        self.store = store
    }

    func spaces() async throws -> [DirectorySpace] {
        try await store.spaces(status: nil).map(DirectorySpace.init)
    }

    func space(_ id: String) async throws -> DirectorySpace? {
        do {
            return DirectorySpace(try await store.space(id))
        } catch SpaceError.notFound {
            return nil
        }
    }

    func aclRecords(of spaceId: String, from index: Int, limit: Int) async throws -> [RawRecordWithId] {
        try await store.aclRecords(of: spaceId, from: index, limit: limit)
    }

    func chats(of spaceId: String) async throws -> [DirectoryChat] {
        try await store.chatModes(of: spaceId)
    }

    func chat(_ id: String, of spaceId: String) async throws -> DirectoryChat? {
        try await store.chat(id, of: spaceId).map(DirectoryChat.init)
    }

    func profileName() async throws -> WireString {
        WireString(try await store.profileName() ?? "")
    }

    func changes() -> AsyncStream<DirectoryChange> {
        store.directoryChanges.stream()
    }
}

extension AccountStore {
    /// The raw records of a space's log, in order; none behind its end.
    ///
    /// - Throws: ``SpaceError/notFound``.
    func aclRecords(of spaceId: String, from index: Int, limit: Int) throws -> [RawRecordWithId] {
        try read { connection in
            _ = try stored(spaceId, connection)
            return try RecordTable(connection: connection).records(of: spaceId, from: index, limit: limit)
        }
    }
}

extension DirectoryChat {
    fileprivate init(_ chat: ChatInfo) {
        let name = ChatInfo.shownName(chat.name, isGeneral: chat.isGeneral)
        self.init(id: chat.id, name: WireString(name), notifyMode: chat.notifyMode)
    }
}

extension DirectorySpace {
    fileprivate init(_ info: SpaceInfo) {
        self.init(
            id: info.id, type: info.spaceType.rawValue, name: WireString(info.name ?? ""),
            isActive: info.status == .active, isOwned: info.ownRole == .owner, notifyMode: info.notifyMode,
            unknownNotifyMode: info.unknownNotifyMode,
            pushKey: info.push.flatMap { try? SpacePushKeys($0).spaceKey.publicKey }
        )
    }
}

extension DirectoryChange {
    /// What an event means for push; `nil` when it reads nothing of it.
    init?(_ event: AccountEvent) {
        switch event {
        case .spaceChanged(let id), .spaceModeWritten(let id): self = .space(id)
        case .chatChanged(let spaceId, _), .chatModeWritten(let spaceId, _): self = .chats(of: spaceId)
        case .notified, .readingKept: return nil
        }
    }
}
