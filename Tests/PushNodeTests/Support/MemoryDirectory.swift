import Locks
import ProtoWire
import PushCrypto
import PushNode

/// One account's spaces in memory, which can not always be read.
final class MemoryDirectory: SpaceDirectory {
    struct Unreadable: Error {}

    enum Call: Hashable {
        case spaces
        case records(String)
        case chats(String)
        case profile
    }

    private struct State {
        var rows: [DirectorySpace] = []
        var logs: [String: @Sendable () -> [RawRecordWithId]] = [:]
        var chats: [String: [DirectoryChat]] = [:]
        var name: WireString = "Somebody"
        var failing: Set<Call> = []
        var reads: [Range<Int>] = []
        var intercept: (@Sendable (Call) async throws -> Void)?
    }

    private let state = SystemLock(State())
    let feed = DirectoryChangeFeed()

    func put(
        _ space: MemberedSpace, name: WireString = "Space", isActive: Bool = true, isOwned: Bool = false,
        chats: [DirectoryChat] = [DirectoryChat(id: "general", name: "General")]
    ) {
        put(DirectorySpace(id: space.id, name: name, isActive: isActive, isOwned: isOwned), chats: chats) {
            space.records
        }
    }

    func put(
        _ row: DirectorySpace, chats: [DirectoryChat], records: @escaping @Sendable () -> [RawRecordWithId]
    ) {
        state.withLock { state in
            state.rows.removeAll { $0.id == row.id }
            state.rows.append(row)
            state.logs[row.id] = records
            state.chats[row.id] = chats
        }
        feed.send(.space(row.id))
    }

    func setMode(_ mode: NotifyMode?, of id: String) {
        state.withLock { state in
            for index in state.rows.indices where state.rows[index].id == id { state.rows[index].notifyMode = mode }
        }
    }

    func setUnknownMode(_ text: String, of id: String) {
        state.withLock { state in
            for index in state.rows.indices where state.rows[index].id == id {
                state.rows[index].unknownNotifyMode = text
            }
        }
    }

    func setMode(_ mode: NotifyMode?, ofChat chat: String, in id: String) {
        state.withLock { state in
            guard let index = state.chats[id]?.firstIndex(where: { $0.id == chat }) else { return }
            state.chats[id]?[index].notifyMode = mode
        }
    }

    func addChat(_ chat: DirectoryChat, to id: String) {
        state.withLock { $0.chats[id, default: []].append(chat) }
        feed.send(.chats(of: id))
    }

    func deactivate(_ id: String) {
        state.withLock { state in
            for index in state.rows.indices where state.rows[index].id == id { state.rows[index].isActive = false }
        }
        feed.send(.space(id))
    }

    func fail(_ calls: Call...) { state.withLock { $0.failing.formUnion(calls) } }
    func heal() { state.withLock { $0.failing = [] } }
    func intercept(_ body: (@Sendable (Call) async throws -> Void)?) { state.withLock { $0.intercept = body } }
    /// The records that were read so far, read by read.
    var reads: [Range<Int>] { state.withLock { $0.reads } }

    func spaces() async throws -> [DirectorySpace] {
        try await check(.spaces)
        return state.withLock { $0.rows }
    }

    func aclRecords(of spaceId: String, from index: Int, limit: Int) async throws -> [RawRecordWithId] {
        try await check(.records(spaceId))
        let records = state.withLock { $0.logs[spaceId] }?() ?? []
        let range = min(index, records.count)..<min(index + limit, records.count)
        state.withLock { $0.reads.append(range) }
        return Array(records[range])
    }

    func chats(of spaceId: String) async throws -> [DirectoryChat] {
        try await check(.chats(spaceId))
        return state.withLock { $0.chats[spaceId] ?? [] }
    }

    func profileName() async throws -> WireString {
        try await check(.profile)
        return state.withLock { $0.name }
    }

    func changes() -> AsyncStream<DirectoryChange> { feed.stream() }

    private func check(_ call: Call) async throws {
        try await state.withLock { $0.intercept }?(call)
        if state.withLock({ $0.failing.contains(call) }) { throw Unreadable() }
    }
}
