import AnySyncNet
import PushCrypto

/// Everything that runs for an account between a start and a stop.
final class PushRuntime: Sendable {
    let network: PushNetwork
    let client: PushNodeClient
    private let keeper: ConnectionKeeper
    let queue: NotifyQueue
    let keyring: SpaceKeyring
    let source: SpaceDirectorySource
    let hooks: PushHooks
    let tokens: DeviceTokenStore
    let reconciler: TopicReconciler
    let clock: any Clock<Duration>
    private let onEvent: PushEventHandler
    private let listeners = OwnedTasks()

    /// What would run for an account; nothing does before ``start(_:)``, but the loop has its thread.
    ///
    /// - Parameter network: the account's, with an event loop of its own, which goes over to the runtime.
    init(
        _ options: PushOptions, node: PushNodeLocation, network: PushNetwork, directory: any SpaceDirectory,
        tokens persistence: any DeviceTokenPersistence, outbox: (any NotificationOutbox)?, clock: any Clock<Duration>,
        onEvent: @escaping PushEventHandler
    ) {
        self.network = network
        self.clock = clock
        self.onEvent = onEvent
        let dialer = Dialer(network.endpoint, transports: network.transports, policy: options.dialPolicy)
        let keeper = ConnectionKeeper(clock: clock, backoff: options.client.reconnection)
        self.keeper = keeper
        client = PushNodeClient(
            account: options.account, node: node, dialer: dialer, clock: clock, limits: options.client,
            onEvent: onEvent, onConnected: { keeper.connected($0) }
        )
        queue = NotifyQueue(sender: client, clock: clock, limits: options.queue, outbox: outbox, onEvent: onEvent)
        keyring = SpaceKeyring(
            account: options.account, directory: directory, verification: options.verification, limits: options.keyring
        )
        source = SpaceDirectorySource(directory: directory, keyring: keyring)
        hooks = PushHooks(
            account: options.account, source: source, queue: queue, clock: clock, limits: options.hooks,
            onEvent: onEvent
        )
        tokens = DeviceTokenStore(
            persistence: persistence, node: client, clock: clock, timing: options.tokens, onEvent: onEvent
        )
        reconciler = TopicReconciler(
            identity: options.account.publicKey, source: source, node: client, tokens: tokens, clock: clock,
            timing: options.reconciler, onEvent: onEvent
        )
    }

    /// Begins to work. Changes of the directory count from now on.
    func start(_ changes: AsyncStream<DirectoryChange>) async {
        let reconciler = reconciler
        listeners.start {
            for await _ in changes { reconciler.spaceListChanged() }
        }
        queue.start()
        let tokens = tokens
        keeper.onConnected { number in
            tokens.nodeConnected(number)
            reconciler.nodeConnected(number)
        }
        keeper.start(client)
        await tokens.start()
        await reconciler.start()
    }

    /// Ends everything; nothing of it runs or is open when this returns.
    ///
    /// - Parameter grace: the time for what was written already to become notifications and be sent.
    func stop(grace: Duration) async {
        await listeners.cancelAndWait()
        await keeper.stop()
        if grace > .zero { _ = await drain(timeout: grace) }
        await hooks.shutdown()
        await queue.shutdown()
        await tellWhatIsUnsent()
        await reconciler.shutdown()
        await tokens.shutdown()
        await client.close()
        await network.shutdown()
    }

    private func tellWhatIsUnsent() async {
        let (queue, hooks) = (await queue.status, hooks.status)
        let givenUp = queue.givenUp + queue.abandoned + queue.dropped + hooks.abandoned + hooks.dropped
        guard queue.kept + givenUp > 0 else { return }
        onEvent(.stoppedWithUnsent(kept: Int(clamping: queue.kept), givenUp: Int(clamping: givenUp)))
    }

    /// Waits until everything that was written has become notifications, and these are sent or given up.
    func drain(timeout: Duration) async -> Bool {
        let stopwatch = Stopwatch(clock)
        guard await hooks.drain(timeout: timeout) else { return false }
        return await queue.drain(timeout: max(timeout - stopwatch.elapsed(), .zero))
    }

    var activity: PushAccountStatus.Activity {
        get async {
            PushAccountStatus.Activity(
                client: await client.status, queue: await queue.status, hooks: hooks.status,
                reconciler: await reconciler.status, token: await tokens.status
            )
        }
    }
}
