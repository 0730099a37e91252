/// The routes of the server itself: those that are served before an account runs.
struct ServerRoutes {
    private let host: ServerHost
    private var state: ServerState { host.state }

    private static let notManaged = ErrorCode("shutdown.not_managed", .forbidden)

    init(_ host: ServerHost) {
        self.host = host
    }

    var all: [Route] { [health, shutdown] }

    // MARK: Health

    private static let healthSchema = Schema.named(
        "Health",
        .object([
            .required("status", .oneOf(["ok"])), .required("version", .string()),
            .required("startedAt", .string(), "RFC 3339."),
            .required("networkId", .string(), "The network of the account, or of one that would be started."),
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
                    "networkId": .string(session?.network.networkId ?? state.networkId),
                    "account": .string(session?.accountId ?? ""),
                    "bootstrapping": .bool(state.isChanging),
                ])
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
