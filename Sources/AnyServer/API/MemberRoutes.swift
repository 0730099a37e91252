/// The routes of a space's members.
struct MemberRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [list, add, remove, rotate] }

    private var list: Route {
        account.route(
            .get, "/v1/spaces/:id/members", summary: "Lists the accounts that a space's log names.",
            responses: [.json(.ok, .object([.required("members", .array(of: SpaceSchemas.member))]))],
            errors: .spaceReading,
            handler: { request, session in
                let members = try await session.store.members(of: request.path("id"))
                return .json(["members": .array(members.map { .object($0.json) })])
            })
    }

    private var add: Route {
        account.route(
            .post, "/v1/spaces/:id/members", summary: "Lets an account into a space.",
            body: .named(
                "NewMember",
                .object([
                    .required("identity", .string(isEmptyAbsent: true), "The account, A…."),
                    .optional("permission", SpaceSchemas.role, "writer unless told; only the owner makes admins."),
                    .deprecated("role", SpaceSchemas.role, insteadOf: "permission"),
                ])),
            responses: [.json(.created, SpaceSchemas.member)],
            errors: .memberChanging + [.spaceInvalidIdentity, .spaceAlreadyMember, .spaceTooManyMembers],
            handler: { request, session in
                let role = (request.text("permission") ?? request.text("role")).flatMap(SpaceRole.init) ?? .writer
                let member = try await session.store.addMember(
                    request.text("identity") ?? "", role: role, to: request.path("id"))
                return .created(.object(member.json))
            })
    }

    private var remove: Route {
        account.route(
            .delete, "/v1/spaces/:id/members/:identity",
            summary:
                "Takes an account out of a space and makes a new read key for those that stay; every invite is revoked.",
            responses: [.noContent], errors: .memberChanging + [.spaceInvalidIdentity, .spaceMemberNotFound],
            handler: { request, session in
                try await session.store.removeMember(request.path("identity"), from: request.path("id"))
                return .noContent
            })
    }

    private var rotate: Route {
        account.route(
            .post, "/v1/spaces/:id/rotate",
            summary: "Makes a new read key for a space's members; every invite is revoked.",
            responses: [.noContent], errors: .memberChanging,
            handler: { request, session in
                try await session.store.rotateReadKey(of: request.path("id"))
                return .noContent
            })
    }
}

extension [ErrorCode] {
    /// What changing who is in a space may throw.
    static let memberChanging: [ErrorCode] = spaceWriting + [.spaceMembersFixed, .spaceLogTooLarge]
}
