import ProtoWire

/// Sends notifications in the background, so that a chat write never waits on push and never fails because of it.
///
/// Each notification gets six tries, 10 s apart. Notifications of one chat go out in the order they came, and chats do not
/// wait for one another. When the node can not be reached, everything that waits in the chat has used a try, for nothing
/// was learned about any one of them; when the node refuses a notification, only that one steps aside for its next try and
/// those behind it go on.
public actor NotifyQueue {
    /// What one queue grants.
    public struct Limits: Hashable, Sendable {
        /// Notifications held at once, those being sent included; another one is dropped (design.md, "Rules").
        public var capacity = 256
        /// Tries for each notification (protocol: six).
        public var attempts = 6
        /// Time between tries.
        public var retryInterval = Duration.seconds(10)

        /// The defaults named at each property.
        public init() {}
    }

    /// What a queue has done.
    public struct Status: Hashable, Sendable {
        /// Notifications held now.
        public var depth = 0
        /// Accepted by the node.
        public var sent: UInt64 = 0
        /// Dropped on arrival because the queue was full.
        public var dropped: UInt64 = 0
        /// Given up after the last try.
        public var exhausted: UInt64 = 0
        /// Given up because the node's answer will not change: no valid topics, or a wrong signature.
        public var refused: UInt64 = 0
        /// Not sent because the queue was shut down.
        public var abandoned: UInt64 = 0
        /// The last error, `nil` after a success.
        public var lastError: PushNodeError?

        /// Nothing done yet.
        public init() {}
    }

    private struct Entry {
        let sequence: UInt64
        let notification: OutgoingNotification
        var attempts = 0

        /// The entry with one more try on its account.
        var tried: Entry {
            var entry = self
            entry.attempts += 1
            return entry
        }
    }

    private struct Lane {
        /// What may be sent now, oldest first.
        var ready: [Entry] = []
        /// The node could not be reached: nothing is sent until the timer says so.
        var isBlocked = false
        var isSending = false
        /// How many entries of this chat wait outside `ready` for a try of their own.
        var aside = 0

        var isEmpty: Bool { ready.isEmpty && aside == 0 && !isSending && !isBlocked }
    }

    private let sender: any NotificationSender
    private let clock: any Clock<Duration>
    private let limits: Limits
    private let onEvent: PushEventHandler
    private var lanes: [[UInt8]: Lane] = [:]
    private let tasks = OwnedTasks()
    private let idle = Waiters()
    private var nextSequence: UInt64 = 0
    private var isClosed = false

    /// What the queue has done so far.
    public private(set) var status = Status()

    /// An empty queue.
    ///
    /// - Parameters:
    ///   - sender: carries each try.
    ///   - clock: measures the time between tries.
    ///   - limits: see ``Limits``.
    ///   - onEvent: gets what an operator should see.
    public init(
        sender: any NotificationSender, clock: any Clock<Duration> = .continuous, limits: Limits = Limits(),
        onEvent: @escaping PushEventHandler = { _ in }
    ) {
        self.sender = sender
        self.clock = clock
        self.limits = limits
        self.onEvent = onEvent
    }

    /// Takes a notification and returns at once.
    ///
    /// - Returns: whether it was taken; `false` when the queue is full or shut down, which ``status`` counts.
    @discardableResult
    public func enqueue(_ notification: OutgoingNotification) -> Bool {
        guard !isClosed, status.depth < limits.capacity else {
            status.dropped += 1
            if !isClosed { onEvent(.notificationDropped) }
            return false
        }
        status.depth += 1
        let chat = notification.request.groupId.bytes
        lanes[chat, default: Lane()].ready.append(Entry(sequence: nextSequence, notification: notification))
        nextSequence += 1
        pump(chat)
        return true
    }

    /// Waits until everything that was taken has been sent or given up, or until the time is over.
    ///
    /// - Returns: whether the queue is empty.
    public func drain(timeout: Duration) async -> Bool {
        try? await withDeadline(timeout, on: clock) { await self.waitUntilIdle() }
        return status.depth == 0
    }

    /// Stops at once: cancels what is being sent, gives up what waits, and returns when nothing of the queue runs anymore.
    public func shutdown() async {
        isClosed = true
        await tasks.cancelAndWait()
        status.abandoned += UInt64(status.depth)
        status.depth = 0
        lanes = [:]
        idle.wakeAll()
    }

    private func waitUntilIdle() async {
        await idle.wait { status.depth > 0 }
    }

    private func pump(_ chat: [UInt8]) {
        guard !isClosed, var lane = lanes[chat], !lane.isSending, !lane.isBlocked, !lane.ready.isEmpty else { return }
        lane.isSending = true
        lanes[chat] = lane
        tasks.start { [weak self] in await self?.sendReady(of: chat) }
    }

    private func sendReady(of chat: [UInt8]) async {
        while !isClosed, let entry = takeFirst(of: chat) {
            let outcome = await attempt(entry.notification)
            guard !isClosed else { return }
            guard let error = outcome else {
                status.sent += 1
                status.lastError = nil
                finish()
                continue
            }
            status.lastError = error
            if error.isFinal {
                status.refused += 1
                onEvent(.notificationGivenUp(error))
                finish()
            } else if error.isVerdict {
                stepAside(entry, of: chat)
            } else {
                block(chat, putBack: entry)
                break
            }
        }
        lanes[chat]?.isSending = false
        if lanes[chat]?.isEmpty ?? false { lanes[chat] = nil }
        // Something may have come while the last answer was on its way.
        pump(chat)
    }

    // Taken out before it is sent: while the answer is on its way, an older entry may step back in before it.
    private func takeFirst(of chat: [UInt8]) -> Entry? {
        guard lanes[chat]?.ready.isEmpty == false else { return nil }
        return lanes[chat]?.ready.removeFirst()
    }

    private func attempt(_ notification: OutgoingNotification) async -> PushNodeError? {
        do throws(PushNodeError) {
            try await sender.send(notification)
            return nil
        } catch {
            return error
        }
    }

    /// Sends an entry again after the interval, by itself.
    private func stepAside(_ entry: Entry, of chat: [UInt8]) {
        let tried = entry.tried
        guard tried.attempts < limits.attempts else { return exhaust() }
        lanes[chat]?.aside += 1
        afterInterval { queue in queue.stepBack(tried, of: chat) }
    }

    private func stepBack(_ entry: Entry, of chat: [UInt8]) {
        guard !isClosed, lanes[chat] != nil else { return }
        lanes[chat]?.aside -= 1
        insert(entry, into: chat)
        pump(chat)
    }

    /// Counts a try for everything that waits in the chat and sends nothing until the interval is over.
    private func block(_ chat: [UInt8], putBack entry: Entry) {
        insert(entry, into: chat)
        let waiting = (lanes[chat]?.ready ?? []).map(\.tried)
        lanes[chat]?.ready = waiting.filter { $0.attempts < limits.attempts }
        for entry in waiting where entry.attempts >= limits.attempts { exhaust() }
        lanes[chat]?.isBlocked = true
        afterInterval { queue in queue.unblock(chat) }
    }

    private func unblock(_ chat: [UInt8]) {
        lanes[chat]?.isBlocked = false
        if lanes[chat]?.isEmpty ?? false { lanes[chat] = nil }
        pump(chat)
    }

    private func insert(_ entry: Entry, into chat: [UInt8]) {
        guard var lane = lanes[chat] else { return }
        let index = lane.ready.firstIndex { $0.sequence > entry.sequence } ?? lane.ready.endIndex
        lane.ready.insert(entry, at: index)
        lanes[chat] = lane
    }

    private func exhaust() {
        status.exhausted += 1
        if let error = status.lastError { onEvent(.notificationGivenUp(error)) }
        finish()
    }

    private func finish() {
        status.depth -= 1
        if status.depth == 0 { idle.wakeAll() }
    }

    private func afterInterval(_ action: @escaping @Sendable (isolated NotifyQueue) -> Void) {
        let clock = clock
        let interval = limits.retryInterval
        tasks.start { [weak self] in
            guard (try? await clock.sleep(for: interval)) != nil else { return }
            await self?.run(action)
        }
    }

    private func run(_ action: @Sendable (isolated NotifyQueue) -> Void) {
        action(self)
    }
}

extension PushNodeError {
    /// Whether the same notification would get the same answer again.
    fileprivate var isFinal: Bool {
        switch self {
        case .refused(.noValidTopics), .refused(.invalidSignature), .refused(.invalidTopicSignature): true
        default: false
        }
    }
}
