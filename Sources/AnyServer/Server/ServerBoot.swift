import AnySyncNet
import PushCrypto
import SecretFiles

/// Starts a server, step by step; when one fails, those before it are taken back.
struct ServerBoot {
    private let options: AnyServerOptions
    private var configuration: ServerConfiguration { options.configuration }

    init(_ options: AnyServerOptions) {
        self.options = options
    }

    func start() async throws(AnyServerError) -> AnyServer {
        let log = try openLog()
        do throws(AnyServerError) { return try await start(log) } catch {
            await log.close()
            throw error
        }
    }

    private func start(_ log: ServerLog) async throws(AnyServerError) -> AnyServer {
        for warning in configuration.warnings { log.warn(warning.description) }
        let root = DataRoot(path: configuration.dataDirectory.value)
        do throws(FileError) {
            try Folder.create(root.path)
            try Folder.requireTrusted(root.path)
        } catch {
            throw .badDataDirectory(error)
        }
        var clientToken: ClientToken?
        if let path = configuration.listenTokenFile.value {
            do throws(ClientToken.Failure) { clientToken = try ClientToken.open(path) } catch {
                throw .boot("\(error)")
            }
        }
        let isManaged = configuration.mode.value == .managed
        let state = ServerState(
            configuration: configuration, log: log,
            transports: options.transports, controlToken: isManaged ? options.controlToken ?? ControlToken() : nil,
            clientToken: clientToken, startedAt: Timestamp.now())
        do {
            if !isManaged {
                let session = try await openWallet(in: root, log)
                try await state.change(graceful: false) { session }
            }
            return try await serve(state, root)
        } catch {
            await state.stop(graceful: false)
            throw error as? AnyServerError ?? .boot("\(error)")
        }
    }

    private func openLog() throws(AnyServerError) -> ServerLog {
        do throws(FileError) {
            return try ServerLog(configuration.log, output: options.onLogLine)
        } catch {
            throw .boot("the log can not be written: \(error)")
        }
    }

    /// Opens the account of the wallet in the data directory.
    private func openWallet(in root: DataRoot, _ log: ServerLog) async throws(AnyServerError) -> AccountSession {
        let selection: DataRoot.Selection
        do throws(DataRoot.SelectionError) {
            selection = try root.select(
                accountId: configuration.account.value, walletPath: configuration.walletPath.value)
        } catch {
            if case .file(let error) = error { throw .badDataDirectory(error) }
            throw .boot(error.description)
        }
        // Before the wallet is opened: whoever starts a second server hears that, and not of a passkey.
        let lock = try Self.lock(selection.directory)
        do throws(AnyServerError) {
            let wallet: Wallet
            do throws(WalletError) {
                wallet = try Wallet.open(
                    path: selection.walletPath, passkey: options.passkey, expecting: selection.accountId)
            } catch {
                throw .boot(error.description)
            }
            return try await AccountSession.open(
                wallet.keys, lock: lock, configuration: configuration, transports: options.transports, log: log)
        } catch {
            lock.release()
            throw error
        }
    }

    static func lock(_ directory: AccountDirectory) throws(AnyServerError) -> ServerLock {
        do throws(ServerLock.Failure) { return try ServerLock(directory) } catch { throw AnyServerError(error) }
    }

    private func serve(_ state: ServerState, _ root: DataRoot) async throws -> AnyServer {
        let listen = configuration.listenAddress.value
        let host = ServerHost(state: state, root: root)
        let router = try Router(
            routes: APIRoutes(host).all, gate: state,
            browsers: BrowserPolicy(origins: Set(configuration.listenOrigins.value)),
            version: AnyServer.version,
            onFault: { fault in
                state.log.error(
                    "request failed", ("request", fault.requestId), ("route", "\(fault.route)"),
                    ("error", "\(fault.error)"))
            })
        let http: HTTPServer
        do throws(HTTPServerError) {
            http = try await HTTPServer.start(
                at: listen, router: router, limits: options.limits, onAccess: { state.log.access($0) })
        } catch {
            throw AnyServerError.boot("cannot listen at \(listen): \(error)")
        }
        let address = http.address.description
        let lifecycle = ServerLifecycle(onStopping: options.onStopping) { graceful in
            await http.stop(grace: graceful ? HTTPServer.defaultGrace : .zero)
            await state.stop(graceful: graceful)
            state.log.info("server stopped")
            await state.log.close()
        }
        do {
            try host.start(address: address, lifecycle: lifecycle)
        } catch {
            await lifecycle.stop(graceful: false)
            throw AnyServerError.boot("\(error)")
        }
        state.log.info("server started", ("address", address), ("mode", state.mode.rawValue))
        return AnyServer(
            lifecycle, state.log, address: address, controlToken: state.controlToken,
            accountId: state.session?.accountId)
    }
}

extension ServerLog {
    /// Notes a request that was served.
    func access(_ record: AccessRecord) {
        debug(
            "request", ("request", record.requestId), ("method", record.method), ("route", record.route ?? "none"),
            ("status", String(record.status)), ("duration", "\(record.duration)"),
            ("complete", String(record.isComplete)))
    }
}
