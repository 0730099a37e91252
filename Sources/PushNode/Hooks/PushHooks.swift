import Locks
public import PushCrypto

/// Turns what happens in chats into notifications: a message was sent, a message was edited, a chat was read
/// (any-api.md, "Hooks"). Nothing else notifies: no reaction, deletion, change of members or invitation.
///
/// To be called after the write has succeeded, for this account's own writes only. The calls return at once and never
/// fail: the rest happens in the background, where it can only come to nothing, which is counted. The hooks of one
/// space run one after another, so that notifications keep their order; spaces do not wait for one another.
public final class PushHooks: Sendable {
    /// What the hooks are granted.
    public struct Limits: Hashable, Sendable {
        /// Hooks that wait or run at once; another one is dropped, as by the queue behind them.
        public var capacity = 256
        /// The same for the hooks of one space, so that a slow space leaves room for the others.
        public var capacityPerSpace = 64
        /// The time for one hook (any-api.md, "Hooks": 30 s).
        public var budget = Duration.seconds(30)
        /// How long a reading waits before the account's devices are told, at random within these bounds; those of one
        /// chat meanwhile are one notice. Ours: seconds hide from the node when its user looks at a chat, and more would
        /// leave notifications of what was read on the user's other devices.
        public var readDelay = Duration.seconds(1)...Duration.seconds(5)
        /// Chats with a reading that waits; that of another one is told at once.
        public var waitingReads = 256

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
        var reads = PendingReads()
        var isClosed = false
        var status = HookStatus()

        func hasRoom(for spaceId: String, _ limits: Limits) -> Bool {
            !isClosed && status.depth < limits.capacity && (lanes[spaceId]?.depth ?? 0) < limits.capacityPerSpace
        }
    }

    private let composer: SharedComposer
    private let source: any ChatContextSource
    private let queue: NotifyQueue
    private let clock: any Clock<Duration>
    private let limits: Limits
    private let random: @Sendable (ClosedRange<Duration>) -> Duration
    private let onEvent: PushEventHandler
    private let tasks = OwnedTasks()
    private let idle = Waiters()
    private let state = SystemLock(State())

    /// The hooks of one account.
    ///
    /// - Parameters:
    ///   - account: the account key, which signs what is sent.
    ///   - source: the keys and names.
    ///   - queue: takes the notifications.
    ///   - clock: measures a hook's time.
    ///   - limits: see ``Limits``.
    ///   - random: chooses how long a reading waits.
    ///   - onEvent: gets what an operator should see.
    public init(
        account: SigningKey, source: any ChatContextSource, queue: NotifyQueue,
        clock: any Clock<Duration> = .continuous, limits: Limits = Limits(),
        random: @escaping @Sendable (ClosedRange<Duration>) -> Duration = PushHooks.anyDuration,
        onEvent: @escaping PushEventHandler = { _ in }
    ) {
        composer = SharedComposer(account: account)
        self.source = source
        self.queue = queue
        self.clock = clock
        self.limits = limits
        self.random = random
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
    ///   - before: whom it mentioned before the edit; `nil` when that could not be read, which notifies nobody, for it
    ///     can not be told who is new.
    public func messageEdited(_ message: StoredMessage, mentionsBefore before: [PublicKey]?) {
        guard let before else { return state.withLock { $0.status.withoutEarlierState += 1 } }
        let known = Set(before)
        let new = message.mentions.filter { !known.contains($0) }
        guard !new.isEmpty else { return state.withLock { $0.status.withoutNewMention += 1 } }
        submit(.edit(message, newMentions: new))
    }

    /// A chat was read, up to some message or whole: tells the account's other devices, silently, in a while.
    public func chatRead(_ reading: ChatReading) {
        let isDelayed = state.withLock { state in
            guard !state.isClosed, state.reads.holds(reading) || state.reads.count < limits.waitingReads else {
                return false
            }
            guard let ticket = state.reads.add(reading) else { return true }
            let delay = random(limits.readDelay)
            tasks.start { await self.tell(ticket, after: delay) }
            return true
        }
        if !isDelayed { submit(.read(reading)) }
    }

    /// Counts what a host that composes by itself made of something that happened in a chat, and tells what an operator
    /// should see.
    ///
    /// - Parameters:
    ///   - outcome: what it came to.
    ///   - spaceId: the space.
    func note(_ outcome: NotificationOutcome, in spaceId: String) {
        state.withLock { state in
            switch outcome {
            case .kept: state.status.enqueued += 1
            case .nobodyNew: state.status.withoutNewMention += 1
            case .earlierStateUnknown: state.status.withoutEarlierState += 1
            case .dropped: state.status.dropped += 1
            case .failed(let failure):
                state.status.failed += 1
                state.status.lastFailure = failure
            }
        }
        switch outcome {
        case .kept, .nobodyNew, .earlierStateUnknown: break
        case .dropped: onEvent(.notificationDropped)
        case .failed(let failure): onEvent(.hookFailed(spaceId: spaceId, failure))
        }
    }

    /// What the hooks have done so far.
    public var status: HookStatus {
        state.withLock { state in
            var status = state.status
            status.depth += state.reads.count
            return status
        }
    }

    /// Any time within bounds, each as likely as another, in steps of a millisecond.
    public static func anyDuration(within bounds: ClosedRange<Duration>) -> Duration {
        let range = bounds.upperBound - bounds.lowerBound
        return bounds.lowerBound + .milliseconds(Int64.random(in: 0...max(Int64(range / .milliseconds(1)), 0)))
    }

    /// Waits until no hook waits or runs, or until the time is over. Readings that wait are told at once.
    ///
    /// - Returns: whether none does.
    public func drain(timeout: Duration) async -> Bool {
        for reading in state.withLock({ $0.reads.takeAll() }) { submit(.read(reading)) }
        try? await withDeadline(timeout, on: clock) { [self] in
            await idle.wait { status.depth > 0 }
        }
        return status.depth == 0
    }

    /// Takes nothing anymore, cancels what runs, gives up what waits, and returns when nothing of the hooks runs
    /// anymore.
    public func shutdown() async {
        state.withLock { $0.isClosed = true }
        await tasks.cancelAndWait()
        state.withLock { state in
            state.status.abandoned += UInt64(state.status.depth + state.reads.takeAll().count)
            state.status.depth = 0
            state.lanes = [:]
        }
        idle.wakeAll()
    }

    private func tell(_ ticket: PendingReads.Ticket, after delay: Duration) async {
        guard (try? await clock.sleep(for: delay)) != nil else { return }
        if let reading = state.withLock({ $0.reads.take(ticket) }) { submit(.read(reading)) }
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
        case .read(let reading):
            return try await composer.read(reading, keys: keys)
        }
    }

    private enum Outcome {
        case enqueued
        case nothing
        case failed(HookFailure)
    }
}

/// The composer that all lanes share: an actor, because it keeps signatures.
private actor SharedComposer {
    private var composer: HookComposer

    init(account: SigningKey) {
        composer = HookComposer(account: account)
    }

    func message(
        _ message: StoredMessage, in context: ChatContext, keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification {
        try composer.message(message, in: context, keys: keys)
    }

    func edit(
        _ message: StoredMessage, newMentions: [PublicKey], in context: ChatContext, keys: SpacePushKeys
    ) throws(ComposeError) -> OutgoingNotification? {
        try composer.edit(message, newMentions: newMentions, in: context, keys: keys)
    }

    func read(_ reading: ChatReading, keys: SpacePushKeys) throws(ComposeError) -> OutgoingNotification {
        try composer.read(reading, keys: keys)
    }
}
