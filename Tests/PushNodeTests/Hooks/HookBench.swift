import Locks
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import TestSupport
import Testing

/// Hooks between a source of keys and names and a queue whose sender keeps what it is given.
struct HookBench {
    let account = SigningKey()
    let clock = VirtualClock()
    let source: HookSource
    let sender = KeepingSender()
    let events = EventLog()
    let queue: NotifyQueue
    let hooks: PushHooks

    init(
        isOneToOne: Bool = false, capacity: Int = 256, capacityPerSpace: Int = 64, queueCapacity: Int = 256,
        waitingReads: Int = 4
    ) {
        source = HookSource(isOneToOne: isOneToOne)
        var queueLimits = NotifyQueue.Limits()
        queueLimits.capacity = queueCapacity
        queue = NotifyQueue(sender: sender, clock: clock, limits: queueLimits)
        var limits = PushHooks.Limits()
        limits.capacity = capacity
        limits.capacityPerSpace = capacityPerSpace
        limits.waitingReads = waitingReads
        let events = events
        hooks = PushHooks(
            account: account, source: source, queue: queue, clock: clock, limits: limits, random: { $0.upperBound },
            onEvent: { events.append($0) }
        )
    }

    func message(
        _ id: String, space: String = "s1", text: String = "a secret", mentions: [PublicKey] = [], attachments: Int = 0
    ) -> StoredMessage {
        StoredMessage(
            spaceId: space, chatId: "c1", messageId: id, text: WireString(text), attachmentCount: attachments,
            mentions: mentions
        )
    }

    func payload(_ id: String, attachments: Int) -> ChatPayload {
        ChatPayload(
            spaceId: "s1", isOneToOne: false, senderId: WireString(account.publicKey.accountAddress),
            newMessage: ChatPayload.NewMessage(
                chatId: "c1", msgId: WireString(id), spaceName: "Space", chatName: "Chat", senderName: "Sender",
                text: "a secret", attachments: Array(repeating: ChatPayload.Attachment(), count: attachments)
            )
        )
    }

    func reading(
        _ chat: String = "c1", space: String = "s1", upTo message: String? = "m9", at time: Int64 = 1
    ) -> ChatReading {
        ChatReading(spaceId: space, chatId: chat, lastMessageId: message, readAt: time)
    }

    /// What a silent notification says.
    func read(_ notification: OutgoingNotification) throws -> ReadPayload {
        let keys = try #require(source.keys)
        let message = try #require(notification.request.message)
        #expect(message.keyId.string == keys.encryptionKeyId)
        #expect(account.publicKey.isValidSignature(message.signature, for: message.payload))
        return try ReadPayload(json: keys.encryptionKey.open(message.payload))
    }

    /// Waits for so many notifications to be sent.
    func notifications(_ count: Int) async -> [OutgoingNotification] {
        await eventually { await sender.sent.count >= count }
        return await sender.sent
    }

    func messageIds(_ notifications: [OutgoingNotification]) -> [String] {
        notifications.map { notification in
            if notification.kind == .silent { return "read" }
            guard
                let message = notification.request.message,
                let json = try? source.keys?.encryptionKey.open(message.payload),
                let payload = try? ChatPayload(json: json)
            else { return "unreadable" }
            return payload.newMessage.msgId.string
        }
    }

    func shutdown() async {
        await hooks.shutdown()
        await queue.shutdown()
    }
}

extension OutgoingNotification {
    var topics: [String] { request.topics?.topics.map(\.topic.string) ?? [] }
}

/// Keys and names in memory, which can be late or not to be had.
final class HookSource: ChatContextSource {
    struct Unavailable: Error {}

    private struct State {
        var keys: SpacePushKeys? = FakeSource.freshKeys()
        var isFailing = false
        var isHeld = false
        var heldSpace: String?
        var calls = 0
    }

    private let isOneToOne: Bool
    private let state = SystemLock(State())

    init(isOneToOne: Bool) { self.isOneToOne = isOneToOne }

    var keys: SpacePushKeys? { state.withLock { $0.keys } }
    var calls: Int { state.withLock { $0.calls } }
    func setKeys(_ keys: SpacePushKeys?) { state.withLock { $0.keys = keys } }
    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }
    /// Answers nothing for a space, or for any, until it is released.
    func hold(_ space: String? = nil) {
        state.withLock { state in
            state.isHeld = true
            state.heldSpace = space
        }
    }
    func release() { state.withLock { $0.isHeld = false } }

    func keys(of spaceId: String) async throws -> SpacePushKeys? {
        state.withLock { $0.calls += 1 }
        while state.withLock({ $0.isHeld && ($0.heldSpace ?? spaceId) == spaceId }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        return try state.withLock { state in
            if state.isFailing { throw Unavailable() }
            return state.keys
        }
    }

    func context(of chatId: String, in spaceId: String) async throws -> ChatContext {
        ChatContext(spaceName: "Space", chatName: "Chat", senderName: "Sender", isOneToOne: isOneToOne)
    }
}

/// Keeps what it is given to send.
actor KeepingSender: NotificationSender {
    private(set) var sent: [OutgoingNotification] = []
    private var isHeld = false

    func hold() { isHeld = true }
    func release() { isHeld = false }

    func send(_ notification: OutgoingNotification) async throws(PushNodeError) {
        while isHeld {
            guard !Task.isCancelled else { throw .cancelled }
            await Task.yield()
        }
        sent.append(notification)
    }
}

/// Keeps the events of a component.
final class EventLog: Sendable {
    private let state = SystemLock<[PushEvent]>([])
    var all: [PushEvent] { state.withLock { $0 } }
    func append(_ event: PushEvent) { state.withLock { $0.append(event) } }
}
