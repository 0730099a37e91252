import Locks

/// Keeps an account connected to its node, and is the one wake-up for everything that waits for the node: whoever has a
/// backoff of its own is told of each new connection.
///
/// A connection that is lost is made again without a call that needs it, for a node that was started anew may have lost
/// what it held for the account, and nothing else would notice before the next round of the topics.
final class ConnectionKeeper: Sendable {
    /// How long a connection has to last for the next loss to count as the first again.
    private static let lasting = Duration.seconds(60)

    private let clock: any Clock<Duration>
    private let backoff: Backoff
    private let stopwatch: Stopwatch
    private let tasks = OwnedTasks()
    private let listeners = SystemLock<[@Sendable (UInt64) -> Void]>([])

    /// A keeper that does nothing before ``start(_:)``.
    ///
    /// - Parameter backoff: the waits before a lost node is dialled.
    init(clock: any Clock<Duration>, backoff: Backoff) {
        self.clock = clock
        self.backoff = backoff
        stopwatch = Stopwatch(clock)
    }

    /// Has somebody told of each new connection by its number. They return at once.
    func onConnected(_ listener: @escaping @Sendable (UInt64) -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    /// There is a new connection.
    func connected(_ number: UInt64) {
        for listener in listeners.withLock({ $0 }) { listener(number) }
    }

    /// Connects, and looks after the connection from now on.
    func start(_ client: PushNodeClient) {
        tasks.start { await self.keep(client) }
    }

    /// Returns when nothing of it runs anymore.
    func stop() async {
        await tasks.cancelAndWait()
        // They hold the client, which holds this.
        listeners.withLock { $0 = [] }
    }

    private func keep(_ client: PushNodeClient) async {
        var failures = 0
        while !Task.isCancelled {
            if let number = try? await client.connect() {
                let start = stopwatch.elapsed()
                await client.waitUntilLost(number)
                if stopwatch.elapsed() - start >= Self.lasting { failures = 0 }
            }
            failures += 1
            // A random part keeps the accounts of a node that was started anew from arriving all at once.
            let wait = backoff.delay(afterFailures: failures) * Double.random(in: 0.5...1)
            guard (try? await clock.sleep(for: wait)) != nil else { return }
        }
    }
}
