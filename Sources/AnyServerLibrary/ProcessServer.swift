import AnyServer
import Dispatch
import Locks

/// The one server of this process. Starting and stopping take turns; asking does not wait for them.
final class ProcessServer: Sendable {
    static let shared = ProcessServer()

    private struct State {
        var server: AnyServer?
        var lastError: String?
    }

    private let state = SystemLock(State())
    // Held by whoever starts or stops.
    private let turn = DispatchSemaphore(value: 1)

    var address: String? { state.withLock { $0.server?.address } }

    var controlToken: String? { state.withLock { $0.server?.controlToken?.text } }

    var lastError: String? { state.withLock { $0.lastError } }

    func start(_ request: ServerRequest) -> StartResult {
        turn.wait()
        defer { turn.signal() }
        if let server = state.withLock({ $0.server }) {
            return failed(.alreadyRunning, "a server runs already in this process, at \(server.address)")
        }
        do {
            let options = try request.serverOptions()
            let server = try Self.wait { try await AnyServer.start(options) }
            state.withLock { $0 = State(server: server) }
            return .started
        } catch {
            return failed(StartResult(error), "\(error)")
        }
    }

    func stop(graceful: Bool) {
        turn.wait()
        defer { turn.signal() }
        guard let server = state.withLock({ $0.server }) else { return }
        _ = try? Self.wait { await server.stop(graceful: graceful) }
        state.withLock { $0.server = nil }
    }

    private func failed(_ result: StartResult, _ reason: String) -> StartResult {
        state.withLock { $0.lastError = reason }
        return result
    }

    /// Blocks the calling thread, which is the host's, until `work` is done on the pool.
    private static func wait<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) throws -> T {
        let outcome = SystemLock<Result<T, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task { @concurrent in
            let result: Result<T, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }
}
