import Locks

/// What a server's owner may ask of it over HTTP: another account, or the end.
final class ServerHost: Sendable {
    let state: ServerState
    let root: DataRoot
    private let accounts: AccountOpener
    private let running = SystemLock<Running?>(nil)

    private struct Running {
        let address: String
        let lifecycle: ServerLifecycle
    }

    init(_ accounts: AccountOpener) {
        self.accounts = accounts
        state = accounts.state
        root = accounts.root
    }

    /// The server listens.
    ///
    /// - Throws: `FileError` when the account's directory can not say where.
    func start(address: String, lifecycle: ServerLifecycle) throws {
        running.withLock { $0 = Running(address: address, lifecycle: lifecycle) }
        try state.session?.announce(address: address)
    }

    /// Has the server stop once the requests under way are answered.
    func askToStop() {
        running.withLock { $0 }?.lifecycle.askToStop(graceful: true)
    }

    /// What became of a request for an account.
    struct Authorization {
        let accountId: String
        /// Whether the account was not here before.
        var isNew = false
        /// The phrase of an account that was made.
        var phrase: String?
        /// Whether the account ran before.
        var ranBefore = false
    }

    /// Starts an account.
    ///
    /// - Throws: ``AuthError``; `server.unavailable` while another change is under way.
    func authorize(_ request: AuthRequest) async throws -> Authorization {
        if case .key = request.wanted, state.mode == .standalone { throw AuthError.notManaged }
        var authorization: Authorization?
        _ = try await state.change(
            graceful: true,
            if: { session in
                guard let running = session?.accountId else { return true }
                guard let wanted = request.accountId else { throw AuthError.alreadyAuthorized(accountId: running) }
                guard wanted != running else {
                    authorization = Authorization(accountId: running, ranBefore: true)
                    return false
                }
                guard request.replaces else { throw AuthError.accountMismatch(running: running, wanted: wanted) }
                guard state.mode == .managed else { throw AuthError.notManaged }
                return true
            },
            prepare: {
                if let wanted = request.accountId { await state.logoutRevocations.end(wanted) }
                return try accounts.prepare(request)
            },
            open: { prepared in
                let session = try await accounts.open(prepared)
                do {
                    if let address = running.withLock({ $0?.address }) { try session.announce(address: address) }
                } catch {
                    await session.close(.sdkClosed, graceful: false)
                    throw error
                }
                authorization = Authorization(
                    accountId: session.accountId, isNew: prepared.isNew, phrase: prepared.phrase)
                return session
            })
        guard let authorization else { throw APIError(.unavailable, "the account was not started; try again") }
        return authorization
    }

    /// Stops the account that runs, if one does.
    ///
    /// - Parameter keepsToken: Whether the node keeps the token of the account's phone, and goes on bringing its messages.
    /// - Throws: ``AuthError/notManaged`` when the account is the server's own.
    func deauthorize(keepsToken: Bool) async throws {
        _ = try await state.change(
            graceful: true, isLogout: !keepsToken,
            if: { session in
                guard session != nil else { return false }
                guard state.mode == .managed else { throw AuthError.notManaged }
                return true
            },
            prepare: {}, open: { nil })
    }
}
