import Locks
import PushAPI
import PushCrypto
import PushNode

/// An account's spaces in memory, which can not always be read.
final class FakeSource: ReconcileSource {
    struct Unreadable: Error {}

    enum Call: Hashable {
        case spaces
        case keys(String)
        case chats(String)
    }

    private struct State {
        var rows: [SpaceRow] = []
        var chats: [String: [SpaceModes.Chat]] = [:]
        var keys: [String: SpacePushKeys] = [:]
        var failing: Set<Call> = []
        var log: [Call] = []
        var intercept: (@Sendable (Call) async throws -> Void)?
        var linger: (@Sendable (Call) async -> Void)?
        var observe: (@Sendable (Answer) -> Void)?
    }

    /// What a call was told.
    enum Answer {
        case rows([SpaceRow])
        case chats(String, [SpaceModes.Chat])
        case failed(Call)
    }

    private let state = SystemLock(State())

    /// Puts a space in, or replaces it.
    func put(
        _ id: String, isActive: Bool = true, isOwned: Bool = false, isOneToOne: Bool = false, mode: NotifyMode? = nil,
        chats: [(String, NotifyMode?)] = []
    ) {
        state.withLock { state in
            state.rows.removeAll { $0.spaceId == id }
            state.rows.append(
                SpaceRow(spaceId: id, isActive: isActive, isOwned: isOwned, isOneToOne: isOneToOne, mode: mode)
            )
            state.chats[id] = chats.map { SpaceModes.Chat(chatId: $0.0, mode: $0.1) }
            if state.keys[id] == nil { state.keys[id] = Self.freshKeys() }
        }
    }

    static func freshKeys() -> SpacePushKeys { SpacePushKeys(spaceKey: SigningKey(), encryptionKey: SymmetricKey()) }

    func setRows(_ change: @Sendable (inout [SpaceRow]) -> Void) { state.withLock { change(&$0.rows) } }
    func setMode(_ mode: NotifyMode?, of id: String) {
        state.withLock { state in
            for index in state.rows.indices where state.rows[index].spaceId == id { state.rows[index].mode = mode }
        }
    }
    func setChats(_ chats: [(String, NotifyMode?)], of id: String) {
        state.withLock { $0.chats[id] = chats.map { SpaceModes.Chat(chatId: $0.0, mode: $0.1) } }
    }
    func addChat(_ chat: String, mode: NotifyMode?, to id: String) {
        state.withLock { $0.chats[id, default: []].append(SpaceModes.Chat(chatId: chat, mode: mode)) }
    }
    /// Sets one override and calls `note` in the same moment.
    func setMode(_ mode: NotifyMode?, ofChat chat: String, in id: String, note: () -> UInt64) -> UInt64 {
        state.withLock { state in
            let index = state.chats[id]?.firstIndex { $0.chatId == chat }
            if let index { state.chats[id]?[index].mode = mode }
            return note()
        }
    }
    func setKeys(_ keys: SpacePushKeys?, of id: String) { state.withLock { $0.keys[id] = keys } }
    func fail(_ calls: Call...) { state.withLock { $0.failing.formUnion(calls) } }
    func heal() { state.withLock { $0.failing = [] } }
    /// Runs before each call is answered.
    func intercept(_ body: (@Sendable (Call) async throws -> Void)?) { state.withLock { $0.intercept = body } }

    /// Runs while each answer is on its way.
    func linger(_ body: (@Sendable (Call) async -> Void)?) { state.withLock { $0.linger = body } }
    /// Sees every answer, in the moment from which it is taken.
    func observe(_ body: (@Sendable (Answer) -> Void)?) { state.withLock { $0.observe = body } }

    var log: [Call] { state.withLock { $0.log } }
    func keysNow(of id: String) -> SpacePushKeys? { state.withLock { $0.keys[id] } }

    /// The account's spaces as they are.
    var truth: [SpaceModes] {
        state.withLock { state in
            state.rows.filter { state.keys[$0.spaceId] != nil }.map { row in
                SpaceModes(
                    spaceId: row.spaceId, isActive: row.isActive, isOwned: row.isOwned, isOneToOne: row.isOneToOne,
                    mode: row.mode, chats: state.chats[row.spaceId] ?? []
                )
            }
        }
    }

    /// What the node should hold.
    func desired(for identity: PublicKey) -> Set<SubscribedTopic> {
        Set(
            DesiredTopics(identity: identity, spaces: truth).subscriptions.flatMap { space in
                space.topics.map { name in
                    SubscribedTopic(
                        spaceKey: keysNow(of: space.spaceId)?.spaceKey.publicKey.rawRepresentation ?? [], name: name
                    )
                }
            }
        )
    }

    func spaces() async throws -> [SpaceRow] {
        try await read(.spaces) { state in
            state.observe?(.rows(state.rows))
            return state.rows.map { row in
                var row = row
                row.pushKey = row.pushKey ?? state.keys[row.spaceId]?.spaceKey.publicKey
                return row
            }
        }
    }

    func chats(of spaceId: String) async throws -> [SpaceModes.Chat] {
        try await read(.chats(spaceId)) { state in
            let chats = state.chats[spaceId] ?? []
            state.observe?(.chats(spaceId, chats))
            return chats
        }
    }

    func keys(of spaceId: String) async throws -> SpacePushKeys? {
        try await read(.keys(spaceId)) { $0.keys[spaceId] }
    }

    private func read<Value: Sendable>(_ call: Call, _ value: (State) -> Value) async throws -> Value {
        let intercept = state.withLock { state in
            state.log.append(call)
            return state.intercept
        }
        do {
            try await intercept?(call)
        } catch {
            state.withLock { $0.observe?(.failed(call)) }
            throw error
        }
        let (answer, linger) = try state.withLock { state in
            if state.failing.contains(call) {
                state.observe?(.failed(call))
                throw Unreadable()
            }
            return (value(state), state.linger)
        }
        await linger?(call)
        return answer
    }
}
