import AnySyncNet
import AnySyncWire
import ProtoWire
public import PushAPI
public import PushCrypto

/// A client of one push node.
///
/// It connects when it is first needed, keeps the one connection for all calls, and connects again after a loss, with a pause
/// that grows while the node stays away. Calls made during the pause fail at once.
public actor PushNodeClient: PushNodeCalls {
    /// What one client grants.
    public struct Limits: Hashable, Sendable {
        /// Time for one call, connecting included.
        public var callTimeout = Duration.seconds(10)
        /// The first pause after a failed attempt to connect; doubled with each further one.
        public var firstPause = Duration.milliseconds(500)
        /// The longest pause. Below the retry interval of ``NotifyQueue``, so that each of its tries is a real one.
        public var longestPause = Duration.seconds(8)
        /// The waits between looks for an encrypted kind while the connection is not encrypted.
        public var encryptionSearch = Backoff(initial: .seconds(30), maximum: .seconds(600))
        /// The waits before a node that was lost is dialled without a call that needs it (``ConnectionKeeper``).
        public var reconnection = Backoff(initial: .seconds(1), maximum: .seconds(60))

        /// The defaults named at each property.
        public init() {}
    }

    /// What a client is doing.
    public enum State: Hashable, Sendable {
        /// Not connected, and nobody has asked.
        case idle
        /// Connecting.
        case connecting
        /// Connected.
        case connected(PushNodePath)
        /// The node could not be reached; the next attempt is made when it is asked for and this time is over.
        case pausing(reason: String, nextTry: Duration)
        /// Closed for good.
        case closed
    }

    /// What a client has done.
    public struct Status: Hashable, Sendable {
        /// What it is doing now.
        public var state = State.idle
        /// Calls that were answered well.
        public var succeeded: UInt64 = 0
        /// Calls that were not.
        public var failed: UInt64 = 0
        /// Connections made.
        public var connections: UInt64 = 0
        /// Attempts to connect that failed.
        public var failedAttempts: UInt64 = 0
        /// The last failure of a call or of connecting, `nil` after a success.
        public var lastError: PushNodeError?

        /// Nothing done yet.
        public init() {}

        /// What an operator should know of the connection; see ``PushNodePath/warning``.
        public var warning: String? {
            if case .connected(let path) = state { path.warning } else { nil }
        }
    }

    private enum Link {
        case idle
        case connecting
        case open(DRPCClient)
        case pausing(Pause)
        case closed
    }

    private struct Pause {
        let error: PushNodeError
        let length: Duration
        let stopwatch: Stopwatch
    }

    private let account: SigningKey
    private let node: PushNodeLocation
    private let dialer: any PushNodeDialer
    private let clock: any Clock<Duration>
    private let limits: Limits
    private let onEvent: PushEventHandler
    private let onConnected: @Sendable (UInt64) -> Void
    private let losses = Waiters()
    private var hasWarned = false
    private var link = Link.idle
    /// The one task that connects, waits for the connection's end or waits out a pause.
    private var keeper: Task<Void, Never>?
    private var failuresInARow = 0
    private var waiters: [UInt64: CheckedContinuation<Result<DRPCClient, PushNodeError>, Never>] = [:]
    private var nextWaiter: UInt64 = 0
    private var counters = Status()

    /// A client that has not connected yet.
    ///
    /// - Parameters:
    ///   - account: the account key, the same that the dialer proves; it vouches in CreateSpace and RemoveSpace.
    ///   - node: the node.
    ///   - dialer: makes connections.
    ///   - clock: measures deadlines and pauses.
    ///   - limits: see ``Limits``.
    ///   - onEvent: is told once when a connection comes about that is not encrypted; the host logs it as a warning.
    ///   - onConnected: is told the number of each new connection, before any call goes over it; it returns at once.
    public init(
        account: SigningKey, node: PushNodeLocation, dialer: any PushNodeDialer,
        clock: any Clock<Duration> = .continuous, limits: Limits = Limits(),
        onEvent: @escaping PushEventHandler = { _ in }, onConnected: @escaping @Sendable (UInt64) -> Void = { _ in }
    ) {
        self.account = account
        self.node = node
        self.dialer = dialer
        self.clock = clock
        self.limits = limits
        self.onEvent = onEvent
        self.onConnected = onConnected
    }

    /// What the client is doing and has done.
    public var status: Status {
        var status = counters
        switch link {
        case .idle: status.state = .idle
        case .connecting: status.state = .connecting
        case .pausing(let pause):
            let rest = max(pause.length - pause.stopwatch.elapsed(), .zero)
            status.state = .pausing(reason: "\(pause.error)", nextTry: rest)
        case .closed: status.state = .closed
        case .open(let client): status.state = .connected(PushNodePath(client.connection))
        }
        return status
    }

    /// Closes the connection for good; calls under way fail with ``PushNodeError/cancelled``.
    public func close() async {
        let last = link
        link = .closed
        let keeper = keeper
        self.keeper = nil
        keeper?.cancel()
        resume(with: .failure(.cancelled))
        losses.wakeAll()
        if case .open(let client) = last {
            await client.close()
            await client.connection.close(.local)
        }
        await keeper?.value
    }

    // MARK: Calls

    public func connect() async throws(PushNodeError) -> UInt64 {
        try await connect(on: clock)
    }

    private func connect<C: Clock<Duration>>(on clock: C) async throws(PushNodeError) -> UInt64 {
        _ = try await connected(until: clock.now.advanced(by: limits.callTimeout), on: clock)
        return counters.connections
    }

    /// Returns when a connection is not the one that calls go over anymore, or the task is cancelled.
    func waitUntilLost(_ number: UInt64) async {
        await losses.wait {
            if case .open = link { counters.connections == number } else { false }
        }
    }

    public func setToken(_ token: String, platform: Platform) async throws(PushNodeError) {
        try await call(.setToken, SetTokenRequest(platform: platform, token: WireString(token)))
    }

    public func revokeToken() async throws(PushNodeError) {
        try await call(.revokeToken, Ok())
    }

    public func createSpace(_ keys: SpacePushKeys) async throws(PushNodeError) {
        do throws(PushNodeError) {
            try await call(.createSpace, spaceRequest(keys))
        } catch .refused(.spaceExists) {
            // Older nodes say so; the space is registered, which is what was wanted.
        }
    }

    public func removeSpace(_ keys: SpacePushKeys) async throws(PushNodeError) {
        try await call(.removeSpace, spaceRequest(keys))
    }

    public func subscriptions() async throws(PushNodeError) -> [SubscribedTopic] {
        let answer: TopicsMessage = try await call(.subscriptions, SubscriptionsRequest())
        return (answer.topics?.topics ?? []).map { SubscribedTopic(spaceKey: $0.spaceKey, name: $0.topic) }
    }

    public func subscribe(_ topics: [SignedTopic]) async throws(PushNodeError) {
        try await call(.subscribe, topicsMessage(topics))
    }

    public func unsubscribe(_ topics: [SignedTopic]) async throws(PushNodeError) {
        try await call(.unsubscribe, topicsMessage(topics))
    }

    public func subscribeAll(_ topics: [SignedTopic]) async throws(PushNodeError) {
        try await call(.subscribeAll, topicsMessage(topics))
    }

    public func subscribeAll(
        _ topics: [SignedTopic], keeping others: [SubscribedTopic]
    ) async throws(PushNodeError) {
        let kept = others.map { Topic(spaceKey: $0.spaceKey, topic: $0.name, signature: Topic.held) }
        try await call(.subscribeAll, TopicsMessage(topics: Topics(topics.map(Topic.init) + kept)))
    }

    public func send(_ notification: OutgoingNotification) async throws(PushNodeError) {
        switch notification.kind {
        case .normal: try await call(.notify, notification.request)
        case .silent: try await call(.notifySilent, notification.request)
        }
    }

    public func outcomes() async throws(PushNodeError) -> PushOutcomes? {
        let answer: OutcomesMessage
        do throws(PushNodeError) { answer = try await call(.outcomes, Ok()) } catch .failed(code: 0, _) {
            // How the reference refuses what it does not know. That is no fault, neither of the node nor of a call.
            return nil
        }
        return PushOutcomes(answer)
    }

    private func spaceRequest(_ keys: SpacePushKeys) -> SpaceRequest {
        let address = Array(account.publicKey.accountAddress.utf8)
        return SpaceRequest(
            spaceKey: keys.spaceKey.publicKey.rawRepresentation, accountSignature: keys.spaceKey.signature(for: address)
        )
    }

    private func topicsMessage(_ topics: [SignedTopic]) -> TopicsMessage {
        // Present even without a topic: the reference node crashes on a request that leaves the field out.
        TopicsMessage(topics: Topics(topics.map(Topic.init)))
    }

    private func call(_ rpc: PushRPC, _ request: some PushMessage) async throws(PushNodeError) {
        let _: Ok = try await call(rpc, request)
    }

    private func call<Answer: PushMessage>(
        _ rpc: PushRPC, _ request: some PushMessage
    ) async throws(PushNodeError) -> Answer {
        do throws(PushNodeError) {
            let bytes = try await exchange(rpc, request.encoded(), on: clock)
            let answer: Answer
            do { answer = try Answer(bytes: bytes) } catch { throw PushNodeError.malformedAnswer }
            counters.succeeded += 1
            counters.lastError = nil
            return answer
        } catch {
            if rpc == .outcomes, case .failed(code: 0, _) = error { throw error }
            counters.failed += 1
            counters.lastError = error
            throw error
        }
    }

    private func exchange<C: Clock<Duration>>(
        _ rpc: PushRPC, _ request: [UInt8], on clock: C
    ) async throws(PushNodeError) -> [UInt8] {
        let deadline = clock.now.advanced(by: limits.callTimeout)
        let client = try await connected(until: deadline, on: clock)
        do throws(CallError) {
            return try await client.call(rpc.rawValue, request, timeout: clock.now.duration(to: deadline))
        } catch {
            throw PushNodeError(error)
        }
    }
}

// MARK: The connection

extension PushNodeClient {
    /// The connection, made if there is none.
    private func connected<C: Clock<Duration>>(
        until deadline: C.Instant, on clock: C
    ) async throws(PushNodeError) -> DRPCClient {
        switch link {
        case .open(let client): return client
        case .pausing(let pause): throw pause.error
        case .closed: throw .cancelled
        case .idle:
            link = .connecting
            keeper = Task { [weak self] in await self?.keepConnection() }
        case .connecting: break
        }
        let id = nextWaiter
        nextWaiter += 1
        let timer = Task { [weak self] in
            guard (try? await clock.sleep(until: deadline, tolerance: nil)) != nil else { return }
            await self?.giveUpWaiting(id)
        }
        defer { timer.cancel() }
        let result: Result<DRPCClient, PushNodeError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Cancelled before it began to wait: the handler has run and found nobody.
                if Task.isCancelled {
                    continuation.resume(returning: .failure(PushNodeError.cancelled))
                } else {
                    waiters[id] = continuation
                }
            }
        } onCancel: {
            Task { [weak self] in await self?.resume(id, with: .failure(.cancelled)) }
        }
        return try result.get()
    }

    /// Connects, then looks after the connection until its end, or waits out the pause after a failure.
    private func keepConnection() async {
        switch await dial() {
        case .success(let connection): await keep(connection)
        case .failure(let error): await pause(after: error)
        }
        if case .closed = link { return }
        link = .idle
        losses.wakeAll()
    }

    private func dial() async -> Result<any Connection, PushNodeError> {
        do throws(PushNodeError) {
            return .success(try await dialer.dial(node, onlyEncrypted: false))
        } catch {
            return .failure(error)
        }
    }

    private func keep(_ connection: any Connection) async {
        guard case .connecting = link else {
            // Closed while the node was dialled.
            await connection.close(.local)
            return
        }
        var client = DRPCClient(connection: connection)
        begin(client)
        // What is readable on the path gives way as soon as something better is found.
        while !client.connection.kind.isEncrypted, let better = await search(beside: client.connection) {
            guard case .open = link else {
                await better.close(.local)
                break
            }
            let old = client
            client = DRPCClient(connection: better)
            begin(client)
            await old.close()
            await old.connection.close(.replaced)
        }
        _ = await client.connection.waitUntilClosed()
        await client.close()
    }

    /// Has calls go over a connection from now on.
    private func begin(_ client: DRPCClient) {
        link = .open(client)
        counters.connections += 1
        failuresInARow = 0
        losses.wakeAll()
        onConnected(counters.connections)
        warnOnce(of: PushNodePath(client.connection))
        resume(with: .success(client))
    }

    /// Looks for an encrypted kind while a connection that is not encrypted is open.
    ///
    /// - Returns: `nil` when the connection ended first. What was just being dialled is given up then: the next call
    ///   dials anew, encrypted kinds first.
    private func search(beside connection: any Connection) async -> (any Connection)? {
        await withTaskGroup(of: (any Connection)?.self) { group in
            group.addTask {
                _ = await connection.waitUntilClosed()
                return nil
            }
            group.addTask { [dialer, node, clock, waits = limits.encryptionSearch] in
                var failures = 0
                while !Task.isCancelled {
                    failures += 1
                    guard (try? await clock.sleep(for: waits.delay(afterFailures: failures))) != nil else { return nil }
                    if let better = try? await dialer.dial(node, onlyEncrypted: true) { return better }
                }
                return nil
            }
            var better: (any Connection)?
            for await found in group {
                better = better ?? found
                group.cancelAll()
            }
            return better
        }
    }

    private func warnOnce(of path: PushNodePath) {
        guard !path.isEncrypted, !hasWarned else { return }
        hasWarned = true
        onEvent(.pathNotEncrypted(path))
    }

    private func pause(after error: PushNodeError) async {
        guard case .connecting = link else { return }
        counters.failedAttempts += 1
        // Who waited may have gone before the dial was done: its account counts, and not that their time was over.
        counters.lastError = error
        await pause(after: error, on: clock)
    }

    private func pause<C: Clock<Duration>>(after error: PushNodeError, on clock: C) async {
        var length = nextPause()
        if case .unreachable(_, let wait?) = error { length = max(length, wait) }
        // One look at the clock: what is shown is what is waited for.
        let end = clock.now.advanced(by: length)
        link = .pausing(Pause(error: error, length: length, stopwatch: Stopwatch(clock)))
        resume(with: .failure(error))
        try? await clock.sleep(until: end, tolerance: nil)
    }

    private func nextPause() -> Duration {
        let pause = limits.firstPause * (1 << min(failuresInARow, 16))
        failuresInARow += 1
        // A random part keeps the clients of a node that comes back from arriving all at once.
        return min(pause, limits.longestPause) * Double.random(in: 0.5...1)
    }

    /// Ends the wait of a caller whose time is over; the dial goes on, and its account so far is the caller's.
    private func giveUpWaiting(_ id: UInt64) async {
        guard waiters[id] != nil else { return }
        let progress = await dialer.progress(with: node)
        let reason = progress.map { "no connection within \(limits.callTimeout.inWords): \($0)" }
        resume(id, with: .failure(reason.map { .unreachable(reason: $0) } ?? .deadlineExceeded))
    }

    private func resume(with result: Result<DRPCClient, PushNodeError>) {
        for id in waiters.keys { resume(id, with: result) }
    }

    private func resume(_ id: UInt64, with result: Result<DRPCClient, PushNodeError>) {
        waiters.removeValue(forKey: id)?.resume(returning: result)
    }
}

extension PushNodeError {
    /// What a failed call means to the caller of a push node.
    fileprivate init(_ error: CallError) {
        switch error {
        case .rpc(let error):
            self =
                PushErrorCode(rawValue: error.code).map(PushNodeError.refused)
                ?? .failed(code: error.code, text: error.text)
        case .transport(let error): self = .interrupted(reason: "\(error)")
        case .malformed(let error): self = .interrupted(reason: "\(error)")
        case .streamRefused(let error): self = .interrupted(reason: "\(error)")
        case .deadlineExceeded: self = .deadlineExceeded
        case .requestTooLarge(let limit, let found):
            self = .failed(code: 0, text: "the request has \(found) bytes, the limit is \(limit)")
        case .cancelled: self = .cancelled
        }
    }
}
