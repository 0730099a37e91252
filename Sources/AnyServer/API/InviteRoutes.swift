/// The routes of a space's invites.
struct InviteRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [list, revoke] }

    private static let invite = Schema.named(
        "SpaceInvite",
        .object([
            .required("id", .string(), "The record that made it."),
            .required("type", .oneOf(SpaceInvite.Kind.allCases.map(\.rawValue))),
            .required("author", .string(), "Who made it, A…."),
            .optional("permission", SpaceSchemas.role, "What one may do who joins without being accepted."),
            .deprecated("role", SpaceSchemas.role, insteadOf: "permission"),
        ]))

    private var list: Route {
        account.route(
            .get, "/v1/spaces/:id/invites", summary: "Lists the live invites of a space.",
            responses: [.json(.ok, .object([.required("invites", .array(of: Self.invite))]))],
            errors: .spaceReading,
            handler: { request, session in
                let invites = try await session.store.invites(of: request.path("id"))
                return .json(["invites": .array(invites.map { .object($0.json) })])
            })
    }

    private var revoke: Route {
        account.route(
            .delete, "/v1/spaces/:id/invites/:invite",
            summary: "Revokes an invite; one by which anyone can join takes the read key with it, which is changed.",
            responses: [.noContent], errors: .memberChanging + [.spaceInviteNotFound],
            handler: { request, session in
                try await session.store.revokeInvite(request.path("invite"), of: request.path("id"))
                return .noContent
            })
    }
}
