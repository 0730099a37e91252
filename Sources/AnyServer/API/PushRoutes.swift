import ProtoWire
import PushAPI
import PushCrypto
import PushNode

/// The routes of push: the device's token, and what the node has.
struct PushRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [setToken, tokenStatus, deleteToken, subscriptions, status] }

    private static let platforms = ["ios", "android"]
    private static let errors: [ErrorCode] = [.pushDisabled]

    private var setToken: Route {
        account.route(
            .post, "/v1/push/token", summary: "Registers the device's token.",
            body: .named(
                "PushToken",
                .object([
                    .required("platform", .oneOf(Self.platforms)),
                    .required("token", .string(maxBytes: DeviceToken.maximumByteCount, isEmptyAbsent: true)),
                ])),
            responses: [.noContent], errors: Self.errors,
            handler: { request, session in
                let platform: Platform = request.text("platform") == "android" ? .android : .ios
                let token = DeviceToken(platform: platform, token: request.text("token") ?? "")
                try await session.pushing { () throws(PushAccountError) in try await session.push.setToken(token) }
                return .noContent
            })
    }

    private var tokenStatus: Route {
        account.route(
            .get, "/v1/push/token",
            summary: "Whether the device has a token, and when the node confirmed it. The node is not asked.",
            responses: [
                .json(
                    .ok,
                    .object([
                        .required("registered", .boolean), .optional("platform", .oneOf(Self.platforms)),
                        .optional("confirmed", .boolean, "Whether the node is known to hold what it should."),
                        .optional("confirmedAt", .string(), "When it last said so, since the server's start."),
                        .optional("confirmedSecondsAgo", .integer()),
                    ]))
            ],
            errors: Self.errors,
            handler: { _, session in
                let token = try await session.pushing { () throws(PushAccountError) in
                    try await session.push.tokenStatus()
                }
                return .json(.object(PushStatusJSON.confirmation(of: token)))
            })
    }

    private var deleteToken: Route {
        account.route(
            .delete, "/v1/push/token", summary: "Forgets the device's token, here at once.", responses: [.noContent],
            errors: Self.errors,
            handler: { _, session in
                try await session.pushing { () throws(PushAccountError) in try await session.push.deleteToken() }
                return .noContent
            })
    }

    private var subscriptions: Route {
        let topic = Schema.object([
            .required("spaceKey", .string(), "Base58 of the space's public push key."), .required("topic", .string()),
        ])
        return account.route(
            .get, "/v1/push/subscriptions", summary: "The topics that the node holds for the account.",
            responses: [.json(.ok, .object([.required("subscriptions", .array(of: topic))]))], errors: Self.errors,
            handler: { _, session in
                let topics = try await session.pushing { () throws(PushAccountError) in
                    try await session.push.subscriptions()
                }
                return .json([
                    "subscriptions": .array(
                        topics.map { topic in
                            [
                                "spaceKey": .string(Base58.encode(topic.spaceKey)),
                                "topic": .string(topic.name.string),
                            ]
                        })
                ])
            })
    }

    private var status: Route {
        account.route(
            .get, "/v1/push/status", summary: "What push is doing. The node is not asked.",
            responses: [.json(.ok, PushStatusJSON.schema)],
            handler: { _, session in
                let page = PushStatusJSON(
                    paths: session.paths, nodeNotice: session.configuration.push.productionNotice)
                return .json(.object(page.json(of: await session.push.status)))
            })
    }
}

extension ErrorCode {
    /// Push is off.
    static let pushDisabled = ErrorCode("push.disabled", .conflict)
}

extension AccountSession {
    /// Does something with push, whose errors become the contract's.
    ///
    /// - Throws: `push.disabled`, `server.unavailable` when it was given up, else ``PushFailure``.
    func pushing<Result: Sendable>(
        _ body: () async throws(PushAccountError) -> Result
    ) async throws -> Result {
        do throws(PushAccountError) {
            return try await body()
        } catch {
            if Task.isCancelled { throw APIError(.unavailable, "the request was given up before it was done") }
            switch error {
            case .disabled:
                throw APIError(
                    .pushDisabled,
                    "push notifications are not configured on this server (push.peerId / push.addrs)")
            case .notRunning, .cannotStart: throw APIError(.unavailable, "push is not running")
            case .tokenNotSaved, .node: throw PushFailure(error: error)
            }
        }
    }
}

/// Push failed through no fault of the client, who hears only that; the reason is for the log.
private struct PushFailure: APIErrorConvertible, LoggedFault {
    let error: PushAccountError

    var apiError: APIError { APIError(.internalError, "push operation failed") }
    var logText: String { "push operation failed: \(error)" }
}
