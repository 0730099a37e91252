import AnySyncNet
import Locks

/// What all of a server's routes share: who it is and which account runs.
final class ServerState: RequestGate {
    private enum Phase {
        case idle
        /// An account is being opened or closed.
        case changing
        case running(AccountSession)
    }

    let configuration: ServerConfiguration
    let log: ServerLog
    /// Makes the ways to reach the push node.
    let transports: @Sendable (Endpoint) throws -> [any Transport]
    let controlToken: ControlToken?
    let clientToken: ClientToken?
    /// In milliseconds since 1970.
    let startedAt: Int64
    private let phase = SystemLock(Phase.idle)

    init(
        configuration: ServerConfiguration, log: ServerLog,
        transports: @escaping @Sendable (Endpoint) throws -> [any Transport], controlToken: ControlToken?,
        clientToken: ClientToken?, startedAt: Int64
    ) {
        self.configuration = configuration
        self.log = log
        self.transports = transports
        self.controlToken = controlToken
        self.clientToken = clientToken
        self.startedAt = startedAt
    }

    var mode: ServerMode { configuration.mode.value }

    /// The account that runs, `nil` when none does.
    var session: AccountSession? {
        phase.withLock { phase in
            if case .running(let session) = phase { session } else { nil }
        }
    }

    /// Whether an account is being started or stopped.
    var isChanging: Bool {
        phase.withLock { phase in
            if case .changing = phase { true } else { false }
        }
    }

    var isAccountRunning: Bool { session != nil }

    /// Puts another account, or none, in the place of the one that runs.
    ///
    /// - Parameters:
    ///   - isSame: Whether the account that runs is the right one already.
    ///   - graceful: How the account that runs is closed.
    ///   - open: Opens the other account.
    /// - Throws: `server.unavailable` while another change is under way, and what `open` throws; no account runs then.
    func change(
        graceful: Bool, unless isSame: (AccountSession) -> Bool = { _ in false },
        to open: () async throws -> AccountSession?
    ) async throws {
        var old: AccountSession?
        let isDone = try phase.withLock { phase in
            switch phase {
            case .changing: throw APIError(.unavailable, "an account is being started or stopped; try again")
            case .running(let session) where isSame(session): return true
            case .running(let session): old = session
            case .idle: break
            }
            phase = .changing
            return false
        }
        guard !isDone else { return }
        await old?.close(.deauthorized, graceful: graceful)
        var new: AccountSession?
        defer { phase.withLock { $0 = new.map { .running($0) } ?? .idle } }
        new = try await open()
    }

    /// Stops the account that runs. Nothing changes accounts any more: the server answers no requests.
    func stop(graceful: Bool) async {
        let session = session
        phase.withLock { $0 = .idle }
        await session?.close(.serverShutdown, graceful: graceful)
    }
}
