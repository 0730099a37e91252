public import PushCrypto
import Synchronization

/// Turns what happens in chats into notifications: a message was sent, a message was edited, a chat was read (any-api.md,
/// "Hooks"). Nothing else notifies: no reaction, deletion, change of members or invitation.
///
/// To be called after the write has succeeded, for this account's own writes only. The calls return at once and never fail:
/// the rest happens in the background, where it can only come to nothing, which is counted. The hooks of one space run one
/// after another, so that notifications keep their order; spaces do not wait for one another.
public final class PushHooks: Sendable {
    /// What the hooks are granted.
    public struct Limits: Hashable, Sendable {
        /// Hooks that wait or run at once; another one is dropped, as by the queue behind them.
        public var capacity = 256
        /// The same for the hooks of one space, so that a slow space leaves room for the others.
        public var capacityPerSpace = 64
        /// The time for one hook (any-api.md, "Hooks": 30 s).
        public var budget = Duration.seconds(30)

        /// The defaults named at each property.
        public init() {}
    }

    /// The hooks of a space, which has a lane for as long as one of them waits or runs.
    private struct Lane {
        var waiting: [HookWork] = []
        /// How many wait or run.
        var depth = 0
    }

    private struct State {
        var lanes: [String: Lane] = [:]
        var isClosed = false
        var status = HookStatus()

        func hasRoom(for spaceId: String, _ limits: Limits) -> Bool {
            !isClosed && status.depth < limits.capacity && (lanes[spaceId]?.depth ?? 0) < limits.capacityPerSpace
        }
    }

    private let composer: HookComposer
    private let source: any ChatContextSource
    private let queue: NotifyQueue
    private let clock: any Clock<Duration>
    private let limits: Limits
    private let onEvent: PushEventHandler
    private let tasks = OwnedTasks()
    private let idle = Waiters()
    private let state = Mutex(State())

    /// The hooks of one account.
    ///
    /// - Parameters:
    ///   - account: the account key, which signs what is sent.
    ///   - source: the keys and names.
    ///   - queue: takes the notifications.
    ///   - clock: measures a hook's time.
    ///   - limits: see ``Limits``.
    ///   - onEvent: gets what an operator should see.
    public init(
        account: SigningKey, source: any ChatContextSource, queue: NotifyQueue,
        clock: any Clock<Duration> = .continuous, limits: Limits = Limits(),
        onEvent: @escaping PushEventHandler = { _ in }
    ) {
        composer = HookComposer(account: account)
        self.source = source
        self.queue = queue
        self.clock = clock
        self.limits = limits
        self.onEvent = onEvent
    }

    /// A message was sent: notifies the chat and those it mentions.
    ///
    /// - Parameter message: the message as it was stored, with the mentions that the server derived.
    public func messageSent(_ message: StoredMessage) {
        submit(.message(message))
    }

    /// A message was edited: notifies those whom it mentions now and did not before, and nobody else.
    ///
    /// - Parameters:
    ///   - message: the message as it is stored now.
    ///   - before: whom it mentioned before the edit; `nil` when that could not be read, which notifies nobody, for it can not
    ///     be told who is new.
    public func messageEdited(_ message: StoredMessage, mentionsBefore before: [PublicKey]?) {
        guard let before else { return state.withLock { $0.status.withoutEarlierState += 1 } }
        let known = Set(before)
        let new = message.mentions.filter { !known.contains($0) }
        guard !new.isEmpty else { return state.withLock { $0.status.withoutNewMention += 1 } }
        submit(.edit(message, newMentions: new))
    }

    /// A chat was read, up to some message or whole: tells the account's other devices, silently.
    public func chatRead(_ chatId: String, in spaceId: String) {
        submit(.read(chatId: chatId, spaceId: spaceId))
    }

    /// What the hooks have done so far.
    public var status: HookStatus {
        state.withLock { $0.status }
    }

    /// Waits until no hook waits or runs, or until the time is over.
    ///
    /// - Returns: whether none does.
    public func drain(timeout: Duration) async -> Bool {
        try? await withDeadline(timeout, on: clock) { [self] in
            await idle.wait { status.depth > 0 }
        }
        return status.depth == 0
    }

    /// Takes nothing anymore, cancels what runs, gives up what waits, and returns when nothing of the hooks runs anymore.
    public func shutdown() async {
        state.withLock { $0.isClosed = true }
        await tasks.cancelAndWait()
        state.withLock { state in
            state.status.abandoned += UInt64(state.status.depth)
            state.status.depth = 0
            state.lanes = [:]
        }
        idle.wakeAll()
    }

    private func submit(_ work: HookWork) {
        let spaceId = work.spaceId
        let isOverflow = state.withLock { state in
            guard state.hasRoom(for: spaceId, limits) else {
                state.status.dropped += 1
                return !state.isClosed
            }
            state.status.depth += 1
            if state.lanes[spaceId] == nil { tasks.start { await self.runLane(of: spaceId) } }
            state.lanes[spaceId, default: Lane()].waiting.append(work)
            state.lanes[spaceId]?.depth += 1
            return false
        }
        if isOverflow { onEvent(.hookDropped(spaceId: spaceId)) }
    }

    private func runLane(of spaceId: String) async {
        while let work = next(of: spaceId) {
            finish(work, await run(work))
        }
    }

    private func next(of spaceId: String) -> HookWork? {
        state.withLock { state in
            guard !state.isClosed, state.lanes[spaceId]?.waiting.isEmpty == false else {
                state.lanes[spaceId] = nil
                return nil
            }
            return state.lanes[spaceId]?.waiting.removeFirst()
        }
    }

    private func finish(_ work: HookWork, _ outcome: Outcome) {
        let isCounted = state.withLock { state in
            // What the shutdown cuts off stays in the depth, to be counted with what waits.
            guard !state.isClosed else { return false }
            state.status.depth -= 1
            state.lanes[work.spaceId]?.depth -= 1
            switch outcome {
            case .enqueued: state.status.enqueued += 1
            case .nothing: state.status.withoutNewMention += 1
            case .failed(let failure):
                state.status.failed += 1
                state.status.lastFailure = failure
            }
            return true
        }
        guard isCounted else { return }
        if case .failed(let failure) = outcome { onEvent(.hookFailed(spaceId: work.spaceId, failure)) }
        if status.depth == 0 { idle.wakeAll() }
    }

    private func run(_ work: HookWork) async -> Outcome {
        do {
            let notification = try await withDeadline(limits.budget, on: clock) { try await self.compose(work) }
            guard let notification else { return .nothing }
            return await queue.enqueue(notification) ? .enqueued : .failed(.queueFull)
        } catch {
            return .failed(HookFailure(error))
        }
    }

    private func compose(_ work: HookWork) async throws -> OutgoingNotification? {
        guard let keys = try await source.keys(of: work.spaceId) else { throw HookFailure.noKeys }
        switch work {
        case .message(let message):
            let context = try await source.context(of: message.chatId, in: message.spaceId)
            return try await composer.message(message, in: context, keys: keys)
        case .edit(let message, let newMentions):
            let context = try await source.context(of: message.chatId, in: message.spaceId)
            return try await composer.edit(message, newMentions: newMentions, in: context, keys: keys)
        case .read(let chatId, _):
            return await composer.read(chatId: chatId, keys: keys)
        }
    }

    private enum Outcome {
        case enqueued
        case nothing
        case failed(HookFailure)
    }
}
