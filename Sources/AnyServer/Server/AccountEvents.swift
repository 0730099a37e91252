import Locks
import PushNode

/// Hands what happens in an account's store to those who want to know. Nothing here waits: it is told on the store's
/// thread.
///
/// What was written to a notify mode is not handed on here: the reconciler hears of it before the request is answered,
/// which its route sees to.
final class AccountEvents: Sendable {
    private struct Listeners {
        var push: PushAccount?
        var live: LiveQueries?
    }

    private let listeners = SystemLock(Listeners())

    /// Says whom to tell from now on.
    func attach(push: PushAccount, live: LiveQueries) {
        listeners.withLock { $0 = Listeners(push: push, live: live) }
    }

    /// Tells nobody any more.
    func detach() {
        listeners.withLock { $0 = Listeners() }
    }

    func tell(_ event: AccountEvent) {
        let listeners = listeners.withLock { $0 }
        switch event {
        case .spaceChanged(let id):
            listeners.live?.changed(.account(.spaces))
            listeners.live?.changed(.space(id))
        case .chatChanged(let space, let chat): listeners.live?.changed(.messages(space: space, chat: chat))
        case .notified(let outcome, let spaceId): listeners.push?.noted(outcome, in: spaceId)
        case .readingKept: listeners.push?.outboxChanged()
        case .spaceModeWritten, .chatModeWritten: break
        }
    }
}
