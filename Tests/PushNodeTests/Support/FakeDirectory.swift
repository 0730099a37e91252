import ProtoWire
import PushCrypto
import PushNode

/// The spaces of a ``FakeSource`` as a directory, which can be read as badly as the source.
struct FakeDirectory: SpaceDirectory {
    let source: FakeSource
    let logs: [String: MemberedSpace]

    func spaces() async throws -> [DirectorySpace] {
        try await source.spaces().map { row in
            DirectorySpace(
                id: row.spaceId, type: row.isOneToOne ? DirectorySpace.oneToOneType : "any.space",
                isActive: row.isActive, isOwned: row.isOwned, notifyMode: row.mode, pushKey: row.pushKey
            )
        }
    }

    func aclRecords(of spaceId: String, from index: Int, limit: Int) async throws -> [RawRecordWithId] {
        _ = try await source.keys(of: spaceId)
        return Array((logs[spaceId]?.records ?? []).dropFirst(index).prefix(limit))
    }

    func chats(of spaceId: String) async throws -> [DirectoryChat] {
        try await source.chats(of: spaceId).map { DirectoryChat(id: $0.chatId, notifyMode: $0.mode) }
    }

    func profileName() async throws -> WireString { "" }

    func changes() -> AsyncStream<DirectoryChange> { AsyncStream { $0.finish() } }
}
