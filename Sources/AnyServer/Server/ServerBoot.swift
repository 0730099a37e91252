import AnySyncNet
import AnySyncWire
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
        var networkId = ""
        do throws(ConfigurationError) {
            networkId = try configuration.network.choose(account: nil).networkId
        } catch {
            // No account can be started with it; until one is to be, the server has nothing against it.
            log.warn(error.description)
        }
        let isManaged = configuration.mode.value == .managed
        let state = ServerState(
            configuration: configuration, log: log,
            transports: options.transports, controlToken: isManaged ? options.controlToken ?? ControlToken() : nil,
            clientToken: clientToken, networkId: networkId, startedAt: Timestamp.now())
        let accounts = AccountOpener(state: state, root: root, passkey: options.passkey)
        do {
            if !isManaged, let account = try accounts.configured() { state.begin(try await accounts.open(account)) }
            return try await serve(accounts)
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

    private func serve(_ accounts: AccountOpener) async throws -> AnyServer {
        let state = accounts.state
        let listen = configuration.listenAddress.value
        let host = ServerHost(accounts)
        let faults = FaultLog(state.log)
        let router = try Router(
            routes: APIRoutes(host).all, gate: state,
            browsers: BrowserPolicy(origins: Set(configuration.listenOrigins.value)),
            version: AnyServer.version,
            onFault: { faults.note($0, file: state.session?.storePath) })
        let http = try await openPort(
            at: listen, router, state, in: state.session?.directory.path ?? accounts.root.path)
        let address = http.address.description
        let lifecycle = ServerLifecycle(onStopping: options.onStopping) { graceful in
            await http.stop(grace: graceful ? HTTPServer.defaultGrace : .zero)
            await state.stop(graceful: graceful)
            faults.close()
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

extension ServerBoot {
    /// Listens where the configuration says; at any port, at that of the last time if it is free.
    private func openPort(
        at address: ListenAddress, _ router: Router, _ state: ServerState, in folder: String
    ) async throws(AnyServerError) -> HTTPServer {
        func start(_ address: ListenAddress) async throws(HTTPServerError) -> HTTPServer {
            try await HTTPServer.start(
                at: address, router: router, limits: options.limits, onAccess: { state.log.access($0) })
        }
        do throws(HTTPServerError) {
            guard address.port == 0, address.socketPath == nil else { return try await start(address) }
            let last = LastPort(in: folder)
            if let port = last.read(), let http = try? await start(ListenAddress(host: address.host, port: port)) {
                return http
            }
            let http = try await start(address)
            last.write(http.address.port)
            return http
        } catch {
            throw .boot("cannot listen at \(address): \(error)")
        }
    }
}

extension ServerLog {
    /// Notes a request that was served.
    func access(_ record: AccessRecord) {
        debug(
            "request", ("request", record.requestId), ("method", record.method), ("route", record.route ?? "none"),
            ("status", String(record.status)), ("duration", record.duration.inWords),
            ("complete", String(record.isComplete)))
    }
}
