import ProtoWire
import PushAPI

/// Sends notifications in the background, so that a chat write never waits on push and never fails because of it.
///
/// Each notification gets six tries, 10 s apart. Notifications of one chat go out in the order they came, and chats do
/// not wait for one another. When the node can not be reached, everything that waits in the chat has used a try, for
/// nothing was learned about any one of them; when the node refuses a notification, only that one steps aside for its
/// next try and those behind it go on.
///
/// With a ``NotificationOutbox`` it sends what that holds, in this run of the process or a later one, while it is not
/// too old. Without one it holds what it is given in memory, and drops what is too much.
public actor NotifyQueue {
    private struct Entry {
        let sequence: UInt64
        let notification: OutgoingNotification
        var attempts = 0
        /// Its place in the outbox, when it came from there, and how long it waits there.
        var stored: (id: Int64, age: Duration, since: Stopwatch)?

        /// The entry with one more try on its account.
        var tried: Entry {
            var entry = self
            entry.attempts += 1
            return entry
        }

        /// How long it waits; nothing is known of one that only memory holds.
        var age: Duration {
            stored.map { $0.age + $0.since.elapsed() } ?? .zero
        }
    }

    private struct Lane {
        /// What may be sent now, oldest first.
        var ready: [Entry] = []
        /// The node could not be reached: nothing is sent until the timer says so.
        var isBlocked = false
        var isSending = false
        /// It waits for a place among the chats of which something is being sent.
        var isInTurns = false
        /// How many entries of this chat wait outside `ready` for a try of their own.
        var aside = 0

        var isEmpty: Bool { ready.isEmpty && aside == 0 && !isSending && !isBlocked }
    }

    private let sender: any NotificationSender
    private let clock: any Clock<Duration>
    private let limits: Limits
    private let onEvent: PushEventHandler
    private nonisolated let feed: OutboxFeed?
    private var lanes: [[UInt8]: Lane] = [:]
    private var sendingChats = 0
    /// The chats that wait for a place, in order.
    private var turns: [[UInt8]] = []
    private let tasks = OwnedTasks()
    private let idle = Waiters()
    private var nextSequence: UInt64 = 0
    private var isClosed = false
    private var counts = Status()
    /// How many of those that are held are in the outbox.
    private var storedDepth = 0

    /// What the queue has done so far.
    public var status: Status {
        var status = counts
        status.losses = feed?.losses
        return status
    }

    /// A queue that holds nothing yet.
    ///
    /// - Parameters:
    ///   - sender: carries each try.
    ///   - clock: measures the time between tries.
    ///   - limits: see ``Limits``.
    ///   - outbox: where notifications wait over restarts, if anywhere; it is looked at from ``start()`` on.
    ///   - onEvent: gets what an operator should see.
    public init(
        sender: any NotificationSender, clock: any Clock<Duration> = .continuous, limits: Limits = Limits(),
        outbox: (any NotificationOutbox)? = nil, onEvent: @escaping PushEventHandler = { _ in }
    ) {
        self.sender = sender
        self.clock = clock
        self.limits = limits
        self.onEvent = onEvent
        feed = outbox.map { OutboxFeed($0, clock: clock, onEvent: onEvent) }
    }

    /// Begins to send what is in the outbox, if there is one.
    public nonisolated func start() {
        feed?.start { [weak self] waiting in await self?.take(waiting) }
    }

    /// Something was written to the outbox. Returns at once.
    public nonisolated func outboxChanged() {
        feed?.kick()
    }

    /// Takes a notification and returns at once. It is in memory only.
    ///
    /// - Returns: whether it was taken; `false` when the queue is full or shut down, which ``status`` counts.
    @discardableResult
    public func enqueue(_ notification: OutgoingNotification) -> Bool {
        guard !isClosed, counts.depth < limits.capacity else {
            counts.dropped += 1
            if !isClosed { onEvent(.notificationDropped) }
            return false
        }
        add(Entry(sequence: nextSequence, notification: notification))
        return true
    }

    /// Waits until everything that was taken, or is in the outbox, has been sent or given up, or until the time is over.
    ///
    /// - Returns: whether nothing waits any more.
    public func drain(timeout: Duration) async -> Bool {
        let isSettled: Void? = try? await withDeadline(timeout, on: clock) { await self.settle() }
        return counts.depth == 0 && (feed == nil || isSettled != nil)
    }

    /// Stops at once: cancels what is being sent, gives up what only memory holds, and returns when nothing of the queue
    /// runs anymore. What is in the outbox stays there, with what became of it.
    public func shutdown() async {
        isClosed = true
        await tasks.cancelAndWait()
        await feed?.stop()
        counts.kept += UInt64(storedDepth)
        counts.abandoned += UInt64(counts.depth - storedDepth)
        (counts.depth, storedDepth) = (0, 0)
        lanes = [:]
        idle.wakeAll()
    }

    private func settle() async {
        // All that waits comes, it ends, and what became of it is written.
        await feed?.settle()
        await idle.wait { counts.depth > 0 }
        await feed?.settle()
    }

    private func take(_ waiting: [WaitingNotification]) {
        guard !isClosed else { return }
        let since = Stopwatch(clock)
        for waiting in waiting {
            pause(waiting)
            add(
                Entry(
                    sequence: nextSequence, notification: waiting.notification, attempts: waiting.attempts,
                    stored: (waiting.id, waiting.age, since)))
        }
    }

    /// Keeps the interval between tries over a restart: otherwise a few of them in a row would use up all tries.
    private func pause(_ waiting: WaitingNotification) {
        guard let sinceTry = waiting.sinceTry, sinceTry < limits.retryInterval else { return }
        let chat = waiting.notification.request.groupId.bytes
        guard lanes[chat] == nil else { return }
        lanes[chat] = Lane(isBlocked: true)
        after(limits.retryInterval - sinceTry) { queue in queue.unblock(chat) }
    }

    private func add(_ entry: Entry) {
        counts.depth += 1
        if entry.stored != nil { storedDepth += 1 }
        nextSequence += 1
        let chat = entry.notification.request.groupId.bytes
        lanes[chat, default: Lane()].ready.append(entry)
        pump(chat)
    }

    // MARK: Sending

    private func pump(_ chat: [UInt8]) {
        guard !isClosed, let lane = lanes[chat], !lane.isSending, !lane.isInTurns, !lane.isBlocked, !lane.ready.isEmpty
        else { return }
        guard sendingChats < max(limits.parallelChats, 1) else {
            lanes[chat]?.isInTurns = true
            return turns.append(chat)
        }
        lanes[chat]?.isSending = true
        sendingChats += 1
        tasks.start { [weak self] in await self?.sendReady(of: chat) }
    }

    private func sendReady(of chat: [UInt8]) async {
        while !isClosed, let entry = takeFirst(of: chat) {
            let outcome = await attempt(entry.notification)
            guard let error = outcome else {
                counts.sent += 1
                counts.lastError = nil
                finish([entry], .sent)
                // A chat with much to send gives its place to one that waits.
                if turns.isEmpty { continue } else { break }
            }
            guard !isClosed else { return }
            counts.lastError = error
            if error.isFinal {
                counts.refused += 1
                giveUp([entry], error)
            } else if error.isVerdict {
                stepAside(entry, of: chat, error)
            } else {
                block(chat, putBack: entry, error)
                break
            }
        }
        lanes[chat]?.isSending = false
        if lanes[chat]?.isEmpty ?? false { lanes[chat] = nil }
        sendingChats -= 1
        while sendingChats < max(limits.parallelChats, 1), !turns.isEmpty {
            let next = turns.removeFirst()
            lanes[next]?.isInTurns = false
            pump(next)
        }
        // Something may have come while the last answer was on its way.
        pump(chat)
    }

    // Taken out before it is sent: while the answer is on its way, an older entry may step back in before it.
    private func takeFirst(of chat: [UInt8]) -> Entry? {
        var old: [Entry] = []
        defer { expire(old) }
        while lanes[chat]?.ready.isEmpty == false, let entry = lanes[chat]?.ready.removeFirst() {
            guard entry.stored != nil, entry.age >= limits.lifetime else { return entry }
            old.append(entry)
        }
        return nil
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
    private func stepAside(_ entry: Entry, of chat: [UInt8], _ error: PushNodeError) {
        let tried = entry.tried
        guard tried.attempts < limits.attempts else { return exhaust([tried], error) }
        note([tried])
        lanes[chat]?.aside += 1
        after(limits.retryInterval) { queue in queue.stepBack(tried, of: chat) }
    }

    private func stepBack(_ entry: Entry, of chat: [UInt8]) {
        guard !isClosed, lanes[chat] != nil else { return }
        lanes[chat]?.aside -= 1
        insert(entry, into: chat)
        pump(chat)
    }

    /// Counts a try for everything that waits in the chat and sends nothing until the interval is over.
    private func block(_ chat: [UInt8], putBack entry: Entry, _ error: PushNodeError) {
        insert(entry, into: chat)
        let waiting = (lanes[chat]?.ready ?? []).map(\.tried)
        let left = waiting.filter { $0.attempts < limits.attempts }
        lanes[chat]?.ready = left
        note(left)
        exhaust(waiting.filter { $0.attempts >= limits.attempts }, error)
        lanes[chat]?.isBlocked = true
        after(limits.retryInterval) { queue in queue.unblock(chat) }
    }

    private func unblock(_ chat: [UInt8]) {
        lanes[chat]?.isBlocked = false
        if lanes[chat]?.isEmpty ?? false { lanes[chat] = nil }
        pump(chat)
    }

    private func insert(_ entry: Entry, into chat: [UInt8]) {
        let ready = lanes[chat]?.ready ?? []
        let index = ready.firstIndex { $0.sequence > entry.sequence } ?? ready.endIndex
        lanes[chat]?.ready.insert(entry, at: index)
    }

    // MARK: Ends

    private func exhaust(_ entries: [Entry], _ error: PushNodeError) {
        counts.exhausted += UInt64(entries.count)
        giveUp(entries, error)
    }

    private func expire(_ entries: [Entry]) {
        guard !entries.isEmpty else { return }
        counts.expired += UInt64(entries.count)
        onEvent(.notificationsExpired(count: entries.count))
        finish(entries, .givenUp(reason: "older than \(limits.lifetime)"))
    }

    private func giveUp(_ entries: [Entry], _ error: PushNodeError) {
        guard !entries.isEmpty else { return }
        onEvent(.notificationsGivenUp(count: entries.count, error))
        finish(entries, .givenUp(reason: PushEvent.text(of: error)))
    }

    private func finish(_ entries: [Entry], _ result: OutboxOutcome.Result) {
        let ids = entries.compactMap { $0.stored?.id }
        feed?.note(ids.map { OutboxOutcome(id: $0, result) })
        storedDepth -= ids.count
        counts.depth -= entries.count
        if counts.depth == 0 { idle.wakeAll() }
    }

    /// Notes the tries that entries have had.
    private func note(_ entries: [Entry]) {
        feed?.note(
            entries.compactMap { entry in
                entry.stored.map { OutboxOutcome(id: $0.id, .tried(attempts: entry.attempts)) }
            })
    }

    private func after(_ interval: Duration, _ action: @escaping @Sendable (isolated NotifyQueue) -> Void) {
        let clock = clock
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
