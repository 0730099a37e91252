import Locks

/// The device's token: keeps it over restarts, and keeps a push node in step with it in the background.
///
/// The record on this device is what counts. A change is saved first and is then brought to the node, by one call at a
/// time and again until the node has confirmed it; a call that was overtaken by a newer change is followed by one for
/// the newer, and so is one whose answer never came and that might be carried out late. So whatever the order in which
/// calls are carried out, the node ends with what the record says: a deletion wins over every earlier registration.
///
/// What the node has confirmed is not believed for ever, for a node may lose its data: it gets the token again on each
/// new connection, each time that the app registers it, and when it turns out to lack something else that it confirmed.
public actor DeviceTokenStore {
    /// The times that a store keeps to.
    public struct Timing: Hashable, Sendable {
        /// The time for one call to the node (any-api.md, "Reconciler": 5 s).
        public var callBudget = Duration.seconds(5)
        /// The waits between tries.
        public var backoff = Backoff(initial: .seconds(1), maximum: .seconds(300))

        /// The defaults named at each property.
        public init() {}
    }

    /// What a node may hold for this device.
    private enum Holding: Hashable {
        case nothing
        case token(DeviceToken)
    }

    private let persistence: any DeviceTokenPersistence
    private let node: any PushNodeCalls
    private let clock: any Clock<Duration>
    private let timing: Timing
    private let onEvent: PushEventHandler
    private let stopwatch: Stopwatch
    private let loop: WorkLoop
    private let attempts = Waiters()
    private let saving = SerialWork()
    /// The newest connection to the node, by its number.
    private let connection = SystemLock<UInt64>(0)

    private var record: DeviceTokenRecord
    /// What the node has confirmed, `nil` when that is not known.
    private var confirmed: Holding?
    /// When the node confirmed it last.
    private var confirmedAt: Duration?
    /// The connection over which it did, or an earlier one.
    private var confirmedOn: UInt64 = 0
    /// When to bring the same to the node once more, because an older call may be carried out until then.
    private var confirmAgainAt: Duration?
    private var stragglers = Stragglers<Holding>()
    private var isClosed = false
    private var failures = 0
    private var lastError: PushNodeError?
    private var recordError: String?

    /// Reads the record; nothing is done at the node before ``start()``.
    ///
    /// A record that can not be read counts as none, which ``status`` says: the account works without push until the
    /// app registers its token again.
    ///
    /// - Parameters:
    ///   - persistence: where the record is kept.
    ///   - node: the node to keep in step.
    ///   - clock: measures waits.
    ///   - timing: see ``Timing``.
    ///   - onEvent: gets what an operator should see.
    public init(
        persistence: any DeviceTokenPersistence, node: any PushNodeCalls, clock: any Clock<Duration> = .continuous,
        timing: Timing = Timing(), onEvent: @escaping PushEventHandler = { _ in }
    ) {
        self.persistence = persistence
        self.node = node
        self.clock = clock
        self.timing = timing
        self.onEvent = onEvent
        stopwatch = Stopwatch(clock)
        loop = WorkLoop(clock: clock, backoff: timing.backoff)
        do {
            record = try persistence.load()
        } catch {
            record = .none
            recordError = PushEvent.text(of: error)
            onEvent(.tokenRecordFailed(reason: PushEvent.text(of: error)))
        }
    }

    /// Begins to keep the node in step: registers a token of an earlier run again, and takes up a deletion that was not
    /// confirmed.
    public func start() {
        loop.start { [weak self] in await self?.step() ?? .idle }
    }

    /// Cancels what is on its way and returns when nothing of the store runs anymore. The record stays.
    public func shutdown() async {
        isClosed = true
        await loop.stop()
        attempts.wakeAll()
    }

    /// The node was reached over a new connection: it gets the token over it, whatever it confirmed before, and at once.
    ///
    /// - Parameter number: the connection's, see ``PushNodeCalls/connect()``.
    nonisolated func nodeConnected(_ number: UInt64) {
        connection.withLock { $0 = max($0, number) }
        loop.kick()
    }

    /// The node lacks something that it had confirmed, so that it may have lost the token too: it gets that again.
    func bringAgain() {
        confirmed = nil
        loop.kick()
    }

    /// Takes a token in the place of the earlier one and returns when it is saved; the node gets it in the background,
    /// also when it is the earlier one.
    ///
    /// - Throws: what the persistence throws; nothing has changed then.
    public func set(_ token: DeviceToken) async throws {
        try await change(to: .registered(token))
    }

    /// Forgets the token and returns when that is saved; the node is told in the background, for as long as it takes.
    ///
    /// It is told even when there is no token here, for an earlier run may have left one there.
    ///
    /// - Throws: what the persistence throws; nothing has changed then.
    public func revoke() async throws {
        try await change(to: .revoking)
    }

    /// Tries at once to bring the node in step, and waits for the outcome of the try.
    ///
    /// - Parameter limit: the longest wait; the try goes on in the background after it.
    /// - Returns: whether the node is in step.
    public func forward(within limit: Duration) async -> Bool {
        if !isSettled, !isClosed {
            loop.kick()
            try? await withDeadline(limit, on: clock) { await self.nextAttempt() }
        }
        return isSettled
    }

    /// Returns once no deletion waits for the node to confirm it, or the task is cancelled.
    func waitUntilRevoked() async {
        while record == .revoking, !isClosed, !Task.isCancelled {
            await attempts.wait { record == .revoking && !isClosed }
        }
    }

    /// What is known of the token.
    public var status: DeviceTokenStatus {
        var status = DeviceTokenStatus()
        if case .registered(let token) = record {
            status.isRegistered = true
            status.platform = token.platform
        }
        status.isSettled = isSettled
        if isSettled { status.sinceConfirmed = confirmedAt.map { stopwatch.elapsed() - $0 } }
        status.isRevoking = record == .revoking
        status.failures = failures
        status.lastError = lastError
        status.recordError = recordError
        return status
    }

    private func change(to new: DeviceTokenRecord) async throws {
        try await saving.run { await self.save(new) }.get()
    }

    private func save(_ new: DeviceTokenRecord) async -> Result<Void, any Error> {
        // Saving what is saved already would only wear the disk, but it is always worth telling the node.
        if new != record || recordError != nil {
            do { try await persistence.save(new) } catch { return .failure(error) }
        }
        recordError = nil
        confirmed = nil
        record = new
        loop.kick()
        return .success(())
    }

    /// What the node should hold; `nil` when it does not matter.
    private var wanted: Holding? {
        switch record {
        case .none: nil
        case .registered(let token): .token(token)
        case .revoking: .nothing
        }
    }

    private var isSettled: Bool {
        wanted == nil || isConfirmed
    }

    /// Whether the node has confirmed what it should hold over its newest connection.
    private var isConfirmed: Bool {
        confirmed == wanted && confirmedOn >= connection.withLock { $0 }
    }

    private func nextAttempt() async {
        await attempts.wait { !isSettled && !isClosed }
    }

    /// Makes one call, if one is due.
    private func step() async -> WorkLoop.Next {
        guard let sent = wanted else { return .idle }
        if isConfirmed {
            guard let time = confirmAgainAt else { return await finishRevocation() }
            let rest = time - stopwatch.elapsed()
            guard rest <= .zero else { return .after(rest) }
        }
        let (number, error) = await call(for: sent)
        lastError = error
        confirmedOn = number
        let next = await settle(sent)
        // An answer about something older tells those who wait nothing: the next call is made right away. A deletion
        // that was confirmed leaves nothing to want.
        if sent == wanted || isSettled { attempts.wakeAll() }
        return next
    }

    private func settle(_ sent: Holding) async -> WorkLoop.Next {
        let now = stopwatch.elapsed()
        failures = lastError == nil ? 0 : failures + 1
        if let lastError {
            confirmed = nil
            if lastError.mayStillLand { stragglers.note(sent, at: now) }
            onEvent(sent == .nothing ? .tokenNotRevoked(lastError) : .tokenNotForwarded(lastError))
            return .retry
        }
        confirmed = sent
        confirmedAt = now
        confirmAgainAt = stragglers.threat(to: sent, at: now)
        if let confirmAgainAt { return .after(confirmAgainAt - now) }
        return await finishRevocation()
    }

    /// Ends a revocation that the node has confirmed.
    private func finishRevocation() async -> WorkLoop.Next {
        await saving.run { await self.forgetRevocation() }
    }

    private func forgetRevocation() async -> WorkLoop.Next {
        guard record == .revoking, confirmed == .nothing else { return .idle }
        do {
            try await persistence.save(.none)
            record = .none
            recordError = nil
            attempts.wakeAll()
            return .idle
        } catch {
            recordError = PushEvent.text(of: error)
            onEvent(.tokenRecordFailed(reason: PushEvent.text(of: error)))
            return .retry
        }
    }

    /// - Returns: the connection over which the call went, or an earlier one, and why it failed.
    private func call(for holding: Holding) async -> (connection: UInt64, error: PushNodeError?) {
        let node = node
        do {
            let number = try await withDeadline(timing.callBudget, on: clock) {
                let number = try await node.connect()
                switch holding {
                case .nothing: try await node.revokeToken()
                case .token(let token): try await node.setToken(token.token, platform: token.platform)
                }
                return number
            }
            return (number, nil)
        } catch let error as PushNodeError {
            return (0, error)
        } catch is DeadlinePassed {
            return (0, .deadlineExceeded)
        } catch {
            return (0, .cancelled)
        }
    }
}
