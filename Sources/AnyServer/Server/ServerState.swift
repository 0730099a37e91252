import AnySyncNet
import Locks

/// What all of a server's routes share: who it is and which account runs.
final class ServerState: RequestGate {
    private struct Account {
        var session: AccountSession?
        /// An account is being opened or closed.
        var isChanging = false
    }

    let configuration: ServerConfiguration
    let log: ServerLog
    /// Makes the ways to reach the push node.
    let transports: @Sendable (Endpoint) throws -> [any Transport]
    let controlToken: ControlToken?
    let clientToken: ClientToken?
    /// The network that an account of its own choice would be on.
    let networkId: String
    /// In milliseconds since 1970.
    let startedAt: Int64
    /// Accounts that were logged out, of which the node does not know yet.
    let logoutRevocations = LogoutRevocations()
    private let account = SystemLock(Account())

    init(
        configuration: ServerConfiguration, log: ServerLog,
        transports: @escaping @Sendable (Endpoint) throws -> [any Transport], controlToken: ControlToken?,
        clientToken: ClientToken?, networkId: String, startedAt: Int64
    ) {
        self.configuration = configuration
        self.log = log
        self.transports = transports
        self.controlToken = controlToken
        self.clientToken = clientToken
        self.networkId = networkId
        self.startedAt = startedAt
    }

    var mode: ServerMode { configuration.mode.value }

    /// The account that runs, `nil` when none does.
    var session: AccountSession? { account.withLock { $0.session } }

    /// Whether an account is being started or stopped.
    var isChanging: Bool { account.withLock { $0.isChanging } }

    var isAccountRunning: Bool { session != nil }

    /// Puts another account, or none, in the place of the one that runs.
    ///
    /// - Parameters:
    ///   - graceful: How the account that runs is closed.
    ///   - isLogout: Whether it is logged out, so that the node forgets its token.
    ///   - judge: Looks at the account that runs: whether to go on. Nobody else changes accounts from then on.
    ///   - prepare: Does what may be refused, while the account that runs still does.
    ///   - open: Opens the other account.
    /// - Returns: Whether anything was changed.
    /// - Throws: `server.unavailable` while another change is under way; what `judge` and `prepare` throw, and nothing
    ///   has changed then; what `open` throws, and no account runs then.
    func change<Prepared>(
        graceful: Bool, isLogout: Bool = false, if judge: (AccountSession?) throws -> Bool,
        prepare: () async throws -> Prepared,
        open: (Prepared) async throws -> AccountSession?
    ) async throws -> Bool {
        let isWanted = try account.withLock { account in
            guard !account.isChanging else {
                throw APIError(.unavailable, "an account is being started or stopped; try again")
            }
            guard try judge(account.session) else { return false }
            account.isChanging = true
            return true
        }
        guard isWanted else { return false }
        let prepared: Prepared
        do {
            prepared = try await prepare()
        } catch {
            account.withLock { $0.isChanging = false }
            throw error
        }
        let old = account.withLock { account in
            defer { account.session = nil }
            return account.session
        }
        if isLogout {
            await old?.logOut(logoutRevocations)
        } else {
            await old?.close(.deauthorized, graceful: graceful)
        }
        var new: AccountSession?
        defer { account.withLock { $0 = Account(session: new) } }
        new = try await open(prepared)
        return true
    }

    /// Starts with an account.
    func begin(_ session: AccountSession) {
        account.withLock { $0.session = session }
    }

    /// Stops the account that runs. Nothing changes accounts any more: the server answers no requests.
    func stop(graceful: Bool) async {
        let session = account.withLock { account in
            defer { account = Account() }
            return account.session
        }
        await session?.close(.serverShutdown, graceful: graceful)
        await logoutRevocations.close()
    }
}
