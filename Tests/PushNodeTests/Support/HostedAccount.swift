import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// An account with push as a host embeds it, its spaces in memory.
final class HostedAccount: Sendable {
    let account = SigningKey()
    let directory = MemoryDirectory()
    let tokens = MemoryPersistence()
    let events = EventLog()
    let push: PushAccount
    let phone: Phone

    init(at node: TestNode, phone token: String, _ change: (inout PushOptions) -> Void = { _ in }) async throws {
        var options = PushOptions(account: account, device: SigningKey(), node: await node.location)
        // Soon enough for a test, and far more than a call takes, also under a sanitizer.
        options.client.callTimeout = .seconds(60)
        options.client.firstPause = .milliseconds(10)
        options.client.longestPause = .milliseconds(50)
        options.queue.retryInterval = .milliseconds(100)
        options.queue.attempts = 1000
        options.hooks.readDelay = .zero...Duration.milliseconds(5)
        options.reconciler.debounce = .milliseconds(5)
        options.reconciler.backoff = Backoff(initial: .milliseconds(20), maximum: .milliseconds(100))
        options.tokens.callBudget = .seconds(60)
        options.reconciler.tokenBudget = .seconds(60)
        change(&options)
        phone = Phone(token: token, tray: node.tray)
        let events = events
        push = PushAccount(options, directory: directory, tokens: tokens) { events.append($0) }
    }

    var identity: PublicKey { account.publicKey }

    func message(
        _ id: String, _ text: WireString, in space: MemberedSpace, chat: String = "general",
        mentions: [PublicKey] = []
    ) -> StoredMessage {
        StoredMessage(
            spaceId: space.id, chatId: chat, messageId: id, text: text, attachmentCount: 0, mentions: mentions
        )
    }

    func register() async throws { try await push.setToken(DeviceToken(platform: .android, token: phone.token)) }

    /// Waits until the node holds what the settings ask for, by a round that began after this call.
    func settle() async {
        let rounds = await push.status.activity?.reconciler.rounds ?? 0
        push.directoryChanged(.space(""))
        await eventually {
            guard let activity = await push.status.activity else { return false }
            // A round that began before this call has looked before it, and another is due.
            return activity.reconciler.rounds > rounds && !activity.reconciler.isDue
                && activity.reconciler.last?.isLanded == true
                && activity.token.isSettled
        }
    }
}
