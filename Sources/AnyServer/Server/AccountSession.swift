import PushCrypto

/// An account that runs: everything that its directory's lock protects, from opening to closing.
final class AccountSession: Sendable {
    let keys: AccountKeys
    let directory: AccountDirectory
    /// The network that the account is on.
    let networkId: String
    let live: LiveQueries
    private let lock: ServerLock
    private let uses = UseCount()

    private init(
        keys: AccountKeys, directory: AccountDirectory, networkId: String, live: LiveQueries, lock: ServerLock
    ) {
        self.keys = keys
        self.directory = directory
        self.networkId = networkId
        self.live = live
        self.lock = lock
    }

    /// Opens an account whose directory is locked. The session has the lock from now on; when the opening fails, the
    /// caller keeps it.
    static func open(
        _ keys: AccountKeys, lock: ServerLock, configuration: ServerConfiguration, log: ServerLog
    ) async throws(AnyServerError) -> AccountSession {
        var configuration = configuration
        let known = configuration.warnings.count
        let network: NetworkChoice
        do throws(ConfigurationError) {
            network = try configuration.joinNetwork(account: lock.directory)
        } catch {
            throw .boot(error.description)
        }
        for warning in configuration.warnings.dropFirst(known) { log.warn(warning.description) }
        let live = LiveQueries(firstVersion: UInt64(max(0, Timestamp.now()))) { _ in [] }
        log.info("account started", ("account", keys.accountId), ("peer", keys.peerId.description))
        return AccountSession(
            keys: keys, directory: lock.directory, networkId: network.networkId, live: live, lock: lock)
    }

    var accountId: String { keys.accountId }

    /// Writes where the account is served.
    ///
    /// - Throws: `FileError`.
    func announce(address: String) throws {
        try lock.announce(address: address)
    }

    /// Does something with the account, which is not closed before the end of it.
    ///
    /// - Throws: `auth.required` when it is being closed, and what `body` throws.
    func use<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        guard uses.enter() else { throw APIError.noAccount }
        defer { uses.leave() }
        return try await body()
    }

    /// Ends the account's streams and everything else of it, and lets go of its directory.
    ///
    /// - Parameter graceful: Whether what waits to be sent gets a few seconds.
    func close(_ reason: ClosedReason, graceful: Bool) async {
        await live.close(reason)
        await uses.close()
        lock.release()
    }
}

extension APIError {
    static let noAccount = APIError(.authRequired, "no account is running on this server")
}
