import PushNode

/// The routes of spaces, their details and settings.
struct SpaceRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [list, create, createOneToOne, get, update, delete, accept, decline, settings] }

    private var list: Route {
        let status = QueryParameter("status", SpaceSchemas.status, note: "Spaces of this status; active unless told.")
        return account.route(
            .get, "/v1/spaces", summary: "Lists spaces.", query: [status],
            responses: [.json(.ok, .object([.required("spaces", .array(of: SpaceSchemas.info))]))],
            handler: { request, session in
                let status = request.query("status").flatMap(SpaceStatus.init) ?? .active
                let spaces = try await session.store.spaces(status: status)
                return .json(["spaces": .array(spaces.map { .object($0.json) })])
            })
    }

    private var create: Route {
        account.route(
            .post, "/v1/spaces", summary: "Makes a space.", body: SpaceSchemas.details,
            responses: [.json(.created, SpaceSchemas.info)],
            handler: { request, session in
                let space = try await session.store.createSpace(
                    name: request.text("name"), description: request.text("description"),
                    iconCid: request.text("iconCid"))
                return .created(.object(space.json))
            })
    }

    private var createOneToOne: Route {
        account.route(
            .post, "/v1/spaces/one-to-one", summary: "Makes the space of this account and another; again, finds it.",
            body: .object([.required("identity", .string(isEmptyAbsent: true), "The other account, A….")]),
            responses: [.json(.created, SpaceSchemas.info)], errors: [.spaceInvalidIdentity, .spaceDeleted],
            handler: { request, session in
                let space = try await session.store.createOneToOne(with: request.text("identity") ?? "")
                return .created(.object(space.json))
            })
    }

    private var get: Route {
        account.route(
            .get, "/v1/spaces/:id", summary: "One space.", responses: [.json(.ok, SpaceSchemas.info)],
            errors: [.spaceNotFound],
            handler: { request, session in .json(.object(try await session.store.space(request.path("id")).json)) })
    }

    private var update: Route {
        account.route(
            .patch, "/v1/spaces/:id", summary: "Changes what a space's members see of it.", body: SpaceSchemas.details,
            responses: [.noContent], errors: .spaceWriting,
            handler: { request, session in
                try await session.store.updateSpace(
                    request.path("id"), name: request.body.string("name"),
                    description: request.body.string("description"), iconCid: request.body.string("iconCid"))
                return .noContent
            })
    }

    private var delete: Route {
        account.route(
            .delete, "/v1/spaces/:id", summary: "Deletes a space here; its row stays, with its keys and settings.",
            responses: [.noContent], errors: [.spaceNotFound],
            handler: { request, session in
                try await session.store.deleteSpace(request.path("id"))
                return .noContent
            })
    }

    private var accept: Route {
        account.route(
            .post, "/v1/spaces/:id/accept", summary: "Accepts a space of two that the other account began.",
            responses: [.json(.ok, SpaceSchemas.info)], errors: .spaceReading + [.spaceNotOneToOne, .spaceNotPending],
            handler: { request, session in
                .json(.object(try await session.store.acceptOneToOne(request.path("id")).json))
            })
    }

    private var decline: Route {
        account.route(
            .post, "/v1/spaces/:id/decline", summary: "Declines a space of two that the other account began.",
            responses: [.json(.ok, SpaceSchemas.info)], errors: .spaceReading + [.spaceNotOneToOne, .spaceNotPending],
            handler: { request, session in
                .json(.object(try await session.store.declineOneToOne(request.path("id")).json))
            })
    }

    // Whether a value is a scalar is judged with the rest of the patch, whose errors name the key.
    private static let settingsPatch = Schema.named("SettingsPatch", .object([
        .optional("set", .anyObject, "Values by key: strings, numbers or booleans. Keys have no dot."),
        .optional("unset", .array(of: .string()), "Keys to take away."),
    ]))

    private var settings: Route {
        account.route(
            .patch, "/v1/spaces/:id/settings",
            summary: "Changes this account's settings for a space, whatever its status.",
            body: Self.settingsPatch, responses: [.noContent], errors: [.spaceNotFound],
            handler: { request, session in
                let set = request.body.object("set") ?? [:]
                let unset = request.body.array("unset")?.compactMap(\.string) ?? []
                try await session.store.patchSettings(of: request.path("id"), set: set, unset: unset)
                // Before the answer: what is muted from now on must not wait for the next round.
                let mode = SettingsPatch.notifyModeKey
                if set[mode] != nil || unset.contains(mode) { await session.push.spaceModeWritten() }
                return .noContent
            })
    }
}
