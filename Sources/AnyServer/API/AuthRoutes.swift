/// The routes by which a server is given its account.
struct AuthRoutes {
    private let host: ServerHost

    init(_ host: ServerHost) {
        self.host = host
    }

    var all: [Route] { [auth, authorize, deauthorize] }

    private static let authSchema = Schema.named(
        "Auth",
        .object([
            .required("authorized", .boolean), .required("accountId", .string(), "Empty while no account runs."),
            .required("mode", .oneOf(ServerMode.allCases.map(\.rawValue))),
            .required(
                "capabilities",
                .object([
                    .required("deauthorize", .boolean), .required("switchAccount", .boolean),
                    .required("shutdown", .boolean),
                ]), "What the server's owner may do over HTTP."),
            .required(
                "accounts", .array(of: .object([.required("id", .string()), .optional("default", .boolean)])),
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
            "accounts": .array(
                accounts.compactMap { account in
                    // An old wallet that does not tell whose it is may be the one that runs.
                    guard let id = account.id ?? (account.isDefault ? session?.accountId : nil) else { return nil }
                    return .object(account.isDefault ? ["id": .string(id), "default": true] : ["id": .string(id)])
                }),
        ]
    }

    private static let authorization = Schema.named(
        "Authorization",
        .object([
            .required("accountId", .string()),
            .required("created", .boolean, "Whether the account was not here before."),
            .optional(
                "mnemonic", .string(), "The phrase of an account that was made: shown this once, and kept nowhere."),
            .optional("alreadyAuthorized", .boolean, "Whether the account ran before."),
        ]))

    private var authorize: Route {
        Route(
            .post, "/v1/auth",
            summary:
                "Starts an account: a fresh one, that of a phrase, or one that is here. With replace, a managed server stops"
                + " another account for it.",
            access: .open, needsControlToken: true, body: AuthRequest.schema,
            responses: [.json(.ok, Self.authorization)], errors: AuthError.authorizing,
            handler: { [host] request in
                let done = try await host.authorize(try AuthRequest(request.body))
                var answer: JSONObject = ["accountId": .string(done.accountId), "created": .bool(done.isNew)]
                answer["mnemonic"] = done.phrase.map { .string($0) }
                if done.ranBefore { answer["alreadyAuthorized"] = true }
                return .json(.object(answer))
            })
    }

    private var deauthorize: Route {
        let keepToken = QueryParameter(
            "keepToken", .boolean, note: "Whether the push node keeps the phone's token; it forgets it unless told.")
        return Route(
            .delete, "/v1/auth",
            summary: "Logs the account of a managed server out, if one runs: it stops, and the node forgets its phone.",
            access: .open, needsControlToken: true, query: [keepToken], responses: [.noContent],
            errors: [AuthError.notManagedCode],
            handler: { [host] request in
                try await host.deauthorize(keepsToken: request.query("keepToken") == "true")
                return .noContent
            })
    }
}
