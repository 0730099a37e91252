/// The routes by which what an account may do in a space changes: another's role, and one's own leaving.
struct MembershipRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [setRole, leave] }

    private var setRole: Route {
        account.route(
            .patch, "/v1/spaces/:id/members/:identity", summary: "Changes what a member may do.",
            body: .named(
                "MemberRole",
                .object([
                    .optional(
                        "permission", SpaceSchemas.role,
                        "admin, writer, reader or guest; only the owner makes admins. Required."),
                    .deprecated("role", SpaceSchemas.role, insteadOf: "permission"),
                ])),
            responses: [.noContent], errors: .memberChanging + [.spaceInvalidIdentity, .spaceMemberNotFound],
            handler: { request, session in
                guard let role = (request.text("permission") ?? request.text("role")).flatMap(SpaceRole.init) else {
                    throw APIError(.missingField, "permission required", details: ["field": "permission"])
                }
                try await session.store.setRole(of: request.path("identity"), to: role, in: request.path("id"))
                return .noContent
            })
    }

    private var leave: Route {
        account.route(
            .post, "/v1/spaces/:id/leave",
            summary: "Asks to be removed from a space; an owner or admin who gets to know of it removes the account.",
            responses: [.json(.ok, SpaceSchemas.info)],
            errors: .spaceReading + [.spaceNotAccepted, .spaceForbidden, .spaceMembersFixed, .spaceLogTooLarge],
            handler: { request, session in
                .json(.object(try await session.store.leaveSpace(request.path("id")).whole))
            })
    }
}
