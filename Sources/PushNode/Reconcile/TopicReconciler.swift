import Locks
import PushAPI
public import PushCrypto

/// Keeps the topics that a push node holds for an account in step with the user's settings (any-api.md, "Reconciler").
///
/// It works in rounds, one at a time: forward the device's token if the node has not confirmed it yet, register the
/// spaces that are the account's to register, and replace all topics if they differ from those that landed last. A
/// round runs at the start, a moment after the space list has changed, at once after a local write to a notify mode or
/// a change of the token, every five minutes, and again after a round that did not land. What changes while a round
/// runs makes another one follow.
///
/// A set of topics has landed when the node has confirmed it, every space had its full say in it, and no older set can
/// be carried out after it. A space without keys has its full say: it has no topics, and its row changes when it gets
/// keys.
///
/// What the node has confirmed is not believed for ever, for a node may lose its data. A round asks it what it holds after
/// a start, over each new connection, before each change and once an hour, and brings it what is missing: the topics, and
/// when it had confirmed those the token and the spaces too. Spaces are registered again once an hour in any case.
///
/// The account may have another device with spaces that this one does not know. Their topics stay as they are wherever
/// the node allows it: topics that are only taken away are unsubscribed, and others are kept by name
/// (``PushNodeCalls/subscribeAll(_:keeping:)``). A node that can only replace all topics is told to, and
/// the status says what that cost. A device without spaces has nothing to say, and sends nothing.
///
/// No failure unmutes a chat: see `TopicPlan` for the argument.
public actor TopicReconciler {
    let identity: PublicKey
    let source: any ReconcileSource
    let node: any PushNodeCalls
    let tokens: DeviceTokenStore?
    let clock: any Clock<Duration>
    let timing: ReconcileTiming
    let onEvent: PushEventHandler
    let stopwatch: Stopwatch

    /// The newest connection to the node, by its number.
    private let connection = SystemLock<UInt64>(0)
    private let loop: WorkLoop
    private let listEvents: Debouncer
    private let ticker = OwnedTasks()
    private var progress = ReconcileStatus()
    private var lastEndedAt = Duration.zero
    private var isStarted = false

    /// Local writes to a notify mode.
    let writes = WriteNotes()
    /// The chats of each active space as they were listed last, and how many writes there were then.
    var lastKnownChats: [String: (chats: [SpaceModes.Chat], writes: UInt64)] = [:]
    /// The push keys of the active spaces; they never change.
    var spaceKeys: [String: PublicKey] = [:]
    /// The push keys of all spaces that this device knows or has known since the start, raw.
    var knownKeys: Set<[UInt8]> = []
    /// The spaces that the node has registered.
    var registered: Set<PublicKey> = []
    /// When the registrations were last begun anew.
    var registeredAt = Duration.zero
    /// The spaces that the node did not register when it was asked last, by id.
    var failedRegistrations: Set<String> = []
    /// What the node holds, `nil` when that is not known or not what it should be.
    var landed: LandedTopics?
    /// The connection over which the node confirmed that, or an earlier one.
    var landedOn: UInt64 = 0
    /// The topics of spaces that this device does not know, as the node held them when it was asked last.
    var others: [SubscribedTopic] = []
    /// The connection over which the node last refused to keep topics by name.
    var refusedToKeepOn: UInt64?
    /// The topics that were signed before, as far as they are still wanted: signing thousands takes a while.
    var signatures: [SubscribedTopic: SignedTopic] = [:]
    /// When to ask the node once more, because an older set may be carried out until then.
    var confirmAgainAt: Duration?
    /// When the node was last known to hold what it should.
    var landedAt: Duration?
    /// When the node was last asked what it holds, `nil` when it is to be asked in the next round.
    var checkedAt: Duration?
    var stragglers = Stragglers<Set<SubscribedTopic>>()
    /// The round that runs.
    var round = ReconcileStatus.Round()

    /// A reconciler that does nothing before ``start()``.
    ///
    /// - Parameters:
    ///   - identity: the account.
    ///   - source: the account's spaces.
    ///   - node: the push node.
    ///   - tokens: the device's token, to be forwarded in each round; `nil` on a server without. Its owner starts it
    ///     first and shuts it down.
    ///   - clock: measures all times.
    ///   - timing: see ``ReconcileTiming``.
    ///   - onEvent: gets what an operator should see.
    public init(
        identity: PublicKey, source: any ReconcileSource, node: any PushNodeCalls, tokens: DeviceTokenStore? = nil,
        clock: any Clock<Duration> = .continuous, timing: ReconcileTiming = ReconcileTiming(),
        onEvent: @escaping PushEventHandler = { _ in }
    ) {
        self.identity = identity
        self.source = source
        self.node = node
        self.tokens = tokens
        self.clock = clock
        self.timing = timing
        self.onEvent = onEvent
        stopwatch = Stopwatch(clock)
        let loop = WorkLoop(clock: clock, backoff: timing.backoff)
        self.loop = loop
        listEvents = Debouncer(clock: clock, quiet: timing.debounce, patience: timing.debouncePatience) { loop.kick() }
    }

    /// Runs the first round and begins to wait for causes of further ones. Further calls do nothing.
    public func start() {
        guard !isStarted else { return }
        isStarted = true
        loop.start { [weak self] in await self?.runRound() ?? .idle }
        let (clock, interval, loop) = (clock, timing.interval, loop)
        ticker.start {
            while (try? await clock.sleep(for: interval)) != nil { loop.kick() }
        }
    }

    /// Cancels what runs and returns when nothing of the reconciler runs anymore. The node keeps what it holds.
    public func shutdown() async {
        await ticker.cancelAndWait()
        await listEvents.stop()
        await loop.stop()
    }

    /// Takes a space-list event: a row came, went or changed. A round runs once no more of them come.
    public nonisolated func spaceListChanged() {
        listEvents.note()
    }

    /// The node was reached over a new connection, and may be one that lost its data: a round runs at once and asks it.
    ///
    /// - Parameter number: the connection's, see ``PushNodeCalls/connect()``.
    nonisolated func nodeConnected(_ number: UInt64) {
        connection.withLock { $0 = max($0, number) }
        loop.kick()
    }

    /// The newest connection, by its number.
    nonisolated var newestConnection: UInt64 { connection.withLock { $0 } }

    /// Takes a look that somebody else has had at what the node holds: when something that it confirmed is missing, a
    /// round runs at once and brings it.
    func noteHeld(_ held: [SubscribedTopic]) {
        guard let landed, !landed.topics.isSubset(of: held) else { return }
        checkedAt = nil
        loop.kick()
    }

    /// The device's token was set or deleted: a round runs at once.
    public nonisolated func tokenChanged() {
        loop.kick()
    }

    /// A space's notify mode was written on this device: a round runs at once. To be called after the write and before
    /// the user is answered: no set that was read before is sent from then on, unless the writes during one round do
    /// not end (``ReconcileTiming/rereadLimit``).
    public nonisolated func spaceModeWritten() {
        writes.note()
        loop.kick()
    }

    /// A chat's notify mode was written on this device: as ``spaceModeWritten()``, and what was known of the space's
    /// chats is not used anymore.
    public nonisolated func chatModeWritten(in spaceId: String) {
        writes.noteChat(of: spaceId)
        loop.kick()
    }

    /// What the reconciler has done.
    public var status: ReconcileStatus {
        var status = progress
        let now = stopwatch.elapsed()
        status.last?.age = now - lastEndedAt
        status.isDue = loop.isDue || listEvents.isWaiting
        status.sinceLanded = landedAt.map { now - $0 }
        return status
    }

    private func runRound() async -> WorkLoop.Next {
        let start = stopwatch.elapsed()
        round = ReconcileStatus.Round()
        progress.isRunning = true
        do {
            try await withDeadline(timing.roundBudget, on: clock) { try await self.reconcile() }
        } catch {
            round.result = .failed
            round.error = Task.isCancelled ? .cancelled : Self.roundError(error)
        }
        return finishRound(from: start)
    }

    private func finishRound(from start: Duration) -> WorkLoop.Next {
        let now = stopwatch.elapsed()
        let isWhole = round.error == nil && !round.leftOut.contains(where: \.isFailure)
        round.isLanded = isWhole && landed != nil
        round.duration = now - start
        progress.isRunning = false
        progress.rounds += 1
        if round.result == .sent { progress.sent += 1 }
        progress.othersReplaced += UInt64(round.othersReplaced)
        progress.last = round
        lastEndedAt = now
        if round.isLanded { landedAt = now }
        for space in round.leftOut where space.isFailure { onEvent(.spaceLeftOut(space)) }
        if let error = round.error, error != .cancelled { onEvent(.roundFailed(error)) }

        guard isWhole, round.unregistered.isEmpty else { return .retry }
        return confirmAgainAt.map { .after($0 - now) } ?? .idle
    }

    private static func roundError(_ error: any Error) -> ReconcileError {
        switch error {
        case let error as ReconcileError: error
        case let error as PushNodeError: .node(error)
        case is DeadlinePassed: .budgetExceeded
        default: .cancelled
        }
    }
}
