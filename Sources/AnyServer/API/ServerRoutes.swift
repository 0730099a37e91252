/// The routes of the server itself: those that are served before an account runs.
struct ServerRoutes {
    private let host: ServerHost
    private var state: ServerState { host.state }

    private static let notManaged = ErrorCode("shutdown.not_managed", .forbidden)

    init(_ host: ServerHost) {
        self.host = host
    }

    var all: [Route] { [health, auth, authorize, deauthorize, shutdown] }

    // MARK: Health

    private static let healthSchema = Schema.named("Health", .object([
        .required("status", .oneOf(["ok"])), .required("version", .string()),
        .required("startedAt", .string(), "RFC 3339."),
        .required("networkId", .string(), "Empty while no account runs."),
        .required("account", .string(), "The account that runs, empty when none does."),
        .required("bootstrapping", .boolean, "Whether an account is being started or stopped."),
    ]))

    private var health: Route {
        Route(
            .get, "/v1/health", summary: "Whether the server runs, and with which account.", access: .open,
            responses: [.json(.ok, Self.healthSchema)],
            handler: { [state] _ in
                let session = state.session
                return .json([
                    "status": "ok", "version": .string(AnyServer.version),
                    "startedAt": .string(Timestamp.text(state.startedAt)),
                    "networkId": .string(session?.network.networkId ?? ""),
                    "account": .string(session?.accountId ?? ""),
                    "bootstrapping": .bool(state.isChanging),
                ])
            })
    }

    // MARK: Auth

    private static let authSchema = Schema.named("Auth", .object([
        .required("authorized", .boolean), .required("accountId", .string(), "Empty while no account runs."),
        .required("mode", .oneOf(ServerMode.allCases.map(\.rawValue))),
        .required("capabilities", .object([
            .required("deauthorize", .boolean), .required("switchAccount", .boolean), .required("shutdown", .boolean),
        ]), "What the server's owner may do over HTTP."),
        .required("accounts", .array(of: .object([.required("id", .string()), .optional("default", .boolean)])),
            "The accounts that have a wallet in the data directory."),
    ]))

    private var auth: Route {
        Route(
            .get, "/v1/auth", summary: "Which account runs, and which could.", access: .open,
            responses: [.json(.ok, Self.authSchema)],
            handler: { [host] _ in .json(try Self.status(of: host)) })
    }

    private static func status(of host: ServerHost) throws -> JSONValue {
        let session = host.state.session
        let isManaged = host.state.mode == .managed
        let accounts = isManaged ? [] : try host.root.accounts()
        return [
            "authorized": .bool(session != nil), "accountId": .string(session?.accountId ?? ""),
            "mode": .string(host.state.mode.rawValue),
            "capabilities": [
                "deauthorize": .bool(isManaged), "switchAccount": .bool(isManaged), "shutdown": .bool(isManaged),
            ],
            "accounts": .array(accounts.compactMap { account in
                // An old wallet that does not tell whose it is may be the one that runs.
                guard let id = account.id ?? (account.isDefault ? session?.accountId : nil) else { return nil }
                return .object(account.isDefault ? ["id": .string(id), "default": true] : ["id": .string(id)])
            }),
        ]
    }

    private var authorize: Route {
        Route(
            .post, "/v1/auth", summary: "Starts an account on a managed server, in the place of any other.",
            access: .open, needsControlToken: true, body: AuthKey.schema,
            responses: [.json(.ok, Self.authSchema)], errors: [AuthError.notManagedCode, AuthError.inUseCode],
            handler: { [host] request in
                guard host.state.mode == .managed else { throw AuthError.notManaged }
                try await host.authorize(try AuthKey(request.body))
                return .json(try Self.status(of: host))
            })
    }

    private var deauthorize: Route {
        Route(
            .delete, "/v1/auth", summary: "Stops the account of a managed server.", access: .open,
            needsControlToken: true, responses: [.noContent], errors: [AuthError.notManagedCode],
            handler: { [host] _ in
                guard host.state.mode == .managed else { throw AuthError.notManaged }
                try await host.deauthorize()
                return .noContent
            })
    }

    // MARK: Shutdown

    private var shutdown: Route {
        Route(
            .post, "/v1/shutdown", summary: "Stops a managed server.", access: .open, needsControlToken: true,
            responses: [.noContent], errors: [Self.notManaged],
            handler: { [host] _ in
                guard host.state.mode == .managed else {
                    throw APIError(Self.notManaged, "only a managed server is stopped over HTTP")
                }
                host.askToStop()
                return .noContent
            })
    }
}
