import Locks

/// Stops a server once, whoever asks: the host, or a request, which can not wait for it.
final class ServerLifecycle: Sendable {
    private let asks: AsyncStream<Bool>.Continuation
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - onStopping: Is told that the stop begins.
    ///   - stop: Stops everything, gracefully or at once.
    init(onStopping: @escaping @Sendable () -> Void = {}, stop: @escaping @Sendable (_ graceful: Bool) async -> Void) {
        let (stream, continuation) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingOldest(1))
        asks = continuation
        task = Task { @concurrent in
            for await graceful in stream {
                onStopping()
                return await stop(graceful)
            }
        }
    }

    /// Has the server stop, and returns at once. Only the first ask says how.
    func askToStop(graceful: Bool) {
        asks.yield(graceful)
    }

    /// Stops the server and returns when it has stopped.
    func stop(graceful: Bool) async {
        askToStop(graceful: graceful)
        await task.value
    }

    /// Returns when the server has stopped.
    func waitUntilStopped() async {
        await task.value
    }
}
