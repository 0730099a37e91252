import Locks

/// The writes to notify modes on this device, so far as rounds have to know of them.
///
/// It is no part of the reconciler's actor: who writes notes that and goes on, however long a round computes.
final class WriteNotes: Sendable {
    private struct State {
        var count: UInt64 = 0
        /// Of each space, which write was the last one to a mode of its chats.
        var ofChats: [String: UInt64] = [:]
    }

    private let state = SystemLock(State())

    /// How many there were: what was read before the last one may be out of date.
    var count: UInt64 { state.withLock { $0.count } }

    /// Notes a write to the mode of a space.
    func note() {
        state.withLock { $0.count += 1 }
    }

    /// Notes a write to the mode of a chat.
    func noteChat(of spaceId: String) {
        state.withLock { state in
            state.count += 1
            state.ofChats[spaceId] = state.count
        }
    }

    /// Whether no chat of a space was written to since there were so many writes.
    func isCurrent(_ spaceId: String, since count: UInt64) -> Bool {
        state.withLock { $0.ofChats[spaceId, default: 0] <= count }
    }

    /// Forgets the spaces that take no part.
    func keep(_ spaces: Set<String>) {
        state.withLock { state in
            state.ofChats = state.ofChats.filter { spaces.contains($0.key) }
        }
    }
}
