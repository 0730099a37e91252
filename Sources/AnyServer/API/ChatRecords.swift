/// The messages of a chat as live queries see them: read when they are asked for, and never all at once.
struct ChatRecords: LiveRecords {
    private let space: String
    private let chat: String
    private let store: AccountStore

    init(space: String, chat: String, _ store: AccountStore) {
        self.space = space
        self.chat = chat
        self.store = store
    }

    func result(of query: RecordQuery) async throws -> QueryResult {
        try await MessageScan(query).result(of: chat, in: space, store)
    }

    func reason(_ id: String, in query: RecordQuery) async throws -> QueryChanges.Removal.Reason {
        guard let message = try await store.message(id, in: chat, of: space) else { return .deleted }
        return query.filter.matches(message.record) ? .displaced : .filteredOut
    }
}
