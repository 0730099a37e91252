import Locks
import PushCrypto
import PushNode
import SQLiteStorage

@testable import AnyServer

/// Takes down what the hooks would hear.
final class EventRecorder: Sendable {
    private let heard = SystemLock<[String]>([])

    /// An account's store, opened anew with this as its sink.
    func store(of account: TestAccount) async throws -> AccountStore {
        await account.store.close()
        return try await AccountStore.open(
            .account(in: account.directory), keys: account.keys, now: { 0 }, sink: { event in self.hear(event) }
        )
    }

    /// What was heard since the last call.
    func take() -> [String] {
        heard.withLock { heard in
            defer { heard = [] }
            return heard
        }
    }

    private func hear(_ event: AccountEvent) {
        let text: String
        switch event {
        case .messageSent(let message):
            text = "sent \(names(message.mentions))"
        case .messageEdited(let message, let before):
            text = "edited \(names(message.mentions)) before \(before.map(names) ?? "unknown")"
        case .chatRead: text = "read"
        default: return
        }
        heard.withLock { $0.append(text) }
    }

    private func names(_ keys: [PublicKey]) -> String {
        "[\(keys.map(\.accountAddress).joined(separator: ", "))]"
    }
}
