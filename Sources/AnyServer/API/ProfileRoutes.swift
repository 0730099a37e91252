import PushCrypto

/// The routes of the account's own record.
struct ProfileRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [whole, get, update] }

    private var whole: Route {
        account.route(
            .get, "/v1/account", summary: "Who the account is.",
            responses: [
                .json(
                    .ok,
                    .object([
                        .required("id", .string()), .required("techSpaceId", .string(), "The account's own space."),
                        .optional("metadata", .object([.optional("name", .string())])),
                    ]))
            ],
            handler: { _, session in
                var account: JSONObject = [
                    "id": .string(session.accountId), "techSpaceId": .string(session.techSpaceId),
                ]
                if let name = try await session.store.profileName() { account["metadata"] = ["name": .string(name)] }
                return .json(.object(account))
            })
    }

    private var get: Route {
        account.route(
            .get, "/v1/profile", summary: "Who the account is, and what it calls itself.",
            responses: [
                .json(
                    .ok,
                    .object([
                        .required("identity", .string()), .required("peerId", .string()), .optional("name", .string()),
                    ]))
            ],
            handler: { _, session in
                var profile: JSONObject = [
                    "identity": .string(session.accountId), "peerId": .string(session.keys.peerId.description),
                ]
                if let name = try await session.store.profileName() { profile["name"] = .string(name) }
                return .json(.object(profile))
            })
    }

    private var update: Route {
        account.route(
            .patch, "/v1/profile", summary: "Gives the account a name, or takes it away by an empty one.",
            body: .object([.required("name", .string())]), responses: [.noContent],
            handler: { request, session in
                try await session.store.setProfileName(request.body.string("name") ?? "")
                session.live.changed(.account(.profile))
                return .noContent
            })
    }
}
