import Locks
import PushCrypto

/// What a server's owner may ask of it over HTTP: another account, or the end.
final class ServerHost: Sendable {
    let state: ServerState
    let root: DataRoot
    private let running = SystemLock<Running?>(nil)

    private struct Running {
        let address: String
        let lifecycle: ServerLifecycle
    }

    init(state: ServerState, root: DataRoot) {
        self.state = state
        self.root = root
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

    /// Starts an account whose key its host has brought, in the place of any other.
    ///
    /// - Throws: `auth.in_use` when another server has its directory, `server.unavailable` while another change is
    ///   under way.
    func authorize(_ key: AuthKey) async throws {
        try await state.change(graceful: true, unless: { $0.keys.accountKey.publicKey == key.accountKey.publicKey }) {
            let lock: ServerLock
            do throws(AnyServerError) {
                lock = try ServerBoot.lock(root.directory(of: key.accountKey.publicKey))
            } catch {
                if case .alreadyRunning(_, let server) = error { throw AuthError.inUse(server) }
                throw error
            }
            do {
                let keys = AccountKeys(
                    accountKey: key.accountKey, masterKey: key.masterKey,
                    deviceKey: try DeviceKeyFile.open(in: lock.directory))
                let session = try await AccountSession.open(
                    keys, lock: lock, configuration: state.configuration, transports: state.transports,
                    log: state.log)
                if let address = running.withLock({ $0?.address }) { try session.announce(address: address) }
                return session
            } catch {
                lock.release()
                throw error
            }
        }
    }

    /// Stops the account that runs.
    func deauthorize() async throws {
        try await state.change(graceful: true) { nil }
    }
}
