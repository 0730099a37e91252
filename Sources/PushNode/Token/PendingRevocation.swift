import AnySyncNet
import PushCrypto

/// The deletion of the token of an account that was stopped before its node could be told: goes on telling the node, and
/// does nothing else for the account.
public final class PendingRevocation: Sendable {
    private let options: PushOptions
    private let persistence: any DeviceTokenPersistence
    private let clock: any Clock<Duration>
    private let onEvent: PushEventHandler

    /// A deletion that is told to nobody before ``run()``.
    ///
    /// - Parameters:
    ///   - options: as the account had them. It must not run anywhere meanwhile, as with two runs of a ``PushAccount``.
    ///   - tokens: the account's record, which says that a deletion waits.
    ///   - clock: measures all times.
    ///   - onEvent: gets what an operator should see.
    public init(
        _ options: PushOptions, tokens: any DeviceTokenPersistence, clock: any Clock<Duration> = .continuous,
        onEvent: @escaping PushEventHandler = { _ in }
    ) {
        self.options = options
        persistence = tokens
        self.clock = clock
        self.onEvent = onEvent
    }

    /// Returns when the node has confirmed the deletion, or the task is cancelled. The record says which it was, and the
    /// next run of the account takes up what was not confirmed.
    public func run() async {
        guard
            options.disabledReason == nil, let node = options.node,
            let network = try? await PushNetwork.start(options, onEvent: onEvent)
        else { return }
        let keeper = ConnectionKeeper(clock: clock, backoff: options.client.reconnection)
        let client = PushNodeClient(
            account: options.account, node: node,
            dialer: Dialer(network.endpoint, transports: network.transports, policy: options.dialPolicy), clock: clock,
            limits: options.client, onEvent: onEvent, onConnected: { keeper.connected($0) }
        )
        let store = DeviceTokenStore(
            persistence: persistence, node: client, clock: clock, timing: options.tokens, onEvent: onEvent
        )
        keeper.onConnected { store.nodeConnected($0) }
        keeper.start(client)
        await store.start()
        await store.waitUntilRevoked()
        await keeper.stop()
        await store.shutdown()
        await client.close()
        await network.shutdown()
    }
}
