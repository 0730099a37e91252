import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode

/// Watches what a reconciler is told and what it sends, and notes every topic that would deliver a muted chat.
///
/// It works from the meaning of the topics, not from the mapping of modes to topics.
final class UnmuteWitness: Sendable {
    fileprivate struct Told {
        var rows: [String: NotifyMode] = [:]
        var chats: [String: [SpaceModes.Chat]] = [:]
        /// The spaces whose last listing failed.
        var unlisted: Set<String> = []
    }

    /// A local write that the reconciler knows of.
    fileprivate struct Write {
        var number: UInt64
        var mode: NotifyMode?
        var isAcknowledged = false
    }

    fileprivate struct State {
        var told = Told()
        /// The last change of each chat's mode, and of each space's under its id; remote ones are never acknowledged.
        var writes: [String: Write] = [:]
        var nextNumber: UInt64 = 1
        var violations: [String] = []
        var sets = 0
    }

    private let identity: PublicKey
    private let state = SystemLock(State())

    init(identity: PublicKey) { self.identity = identity }

    var violations: [String] { state.withLock { $0.violations } }
    var sets: Int { state.withLock { $0.sets } }

    /// A new process: what an earlier one was told is forgotten.
    func restart() { state.withLock { $0.told = Told() } }

    /// A mode changes now. The number is for ``acknowledge(_:_:)``.
    func changes(_ id: String, to mode: NotifyMode?) -> UInt64 {
        state.withLock { state in
            state.nextNumber += 1
            state.writes[id] = Write(number: state.nextNumber, mode: mode)
            return state.nextNumber
        }
    }

    /// The reconciler knows of a change. Does nothing when there was another one since.
    func acknowledge(_ id: String, _ number: UInt64) {
        state.withLock { state in
            if state.writes[id]?.number == number { state.writes[id]?.isAcknowledged = true }
        }
    }

    func sees(_ answer: FakeSource.Answer) {
        state.withLock { state in
            switch answer {
            case .rows(let rows):
                state.told.rows = [:]
                for row in rows where row.isActive {
                    state.told.rows[row.spaceId] = min(state.told.rows[row.spaceId] ?? .all, row.mode ?? .all)
                }
            case .chats(let space, let chats):
                state.told.chats[space] = chats
                state.told.unlisted.remove(space)
            case .failed(.chats(let space)):
                state.told.unlisted.insert(space)
            case .failed: break
            }
        }
    }

    /// A whole set of topics is being sent.
    func sees(_ set: [SignedTopic], keys: [PublicKey: String]) {
        state.withLock { state in
            state.sets += 1
            for topic in set {
                guard let space = keys[topic.spaceKey] else {
                    state.violations.append("a topic of no space: \(topic.name)")
                    continue
                }
                if let reason = state.objection(to: topic.name.string, of: space, identity.accountAddress) {
                    state.violations.append("\(space): \(topic.name): \(reason)")
                }
            }
        }
    }
}

extension UnmuteWitness.State {
    /// Why a topic must not be subscribed, as far as the reconciler could know.
    fileprivate func objection(to topic: String, of space: String, _ me: String) -> String? {
        guard let row = told.rows[space] else { return "the space is not active" }
        guard let chats = told.chats[space] else { return "its chats were never listed" }
        let needed: NotifyMode = topic == me || topic.hasSuffix("/\(me)") ? .mentions : .all
        if topic == "chats" || topic == me {
            if told.unlisted.contains(space) { return "its chats could not be listed" }
            if chats.contains(where: { $0.mode != nil }) { return "a chat has an override" }
            if row < needed { return "the space's mode is \(row)" }
            for chat in chats {
                if let reason = acknowledged(chat, of: space, row, below: needed) { return reason }
            }
            return nil
        }
        let named = chats.filter { topic.hasPrefix("chats/\(GroupId(chatId: $0.chatId))") }
        guard let chat = named.first else { return "there is no such chat" }
        let told = named.map { $0.mode ?? row }.min() ?? .none
        if told < needed { return "the chat's mode is \(told)" }
        return acknowledged(chat, of: space, row, below: needed)
    }

    /// Whether a write that the reconciler knows of mutes a chat, whatever it was told last.
    private func acknowledged(
        _ chat: SpaceModes.Chat, of space: String, _ row: NotifyMode, below needed: NotifyMode
    ) -> String? {
        let write = writes[chat.chatId]
        guard write?.isAcknowledged ?? true else { return nil }
        if let mode = write.map(\.mode) ?? chat.mode {
            return mode < needed ? "\(chat.chatId) was set to \(mode)" : nil
        }
        guard let space = writes[space], space.isAcknowledged else { return nil }
        let mode = space.mode ?? .all
        return mode < needed ? "\(chat.chatId) was unset and its space set to \(mode)" : nil
    }
}
