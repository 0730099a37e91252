import PushNode

/// The routes of spaces, their details and settings.
struct SpaceRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [list, create, derived, get, update, delete, sync, settings] }

    private var list: Route {
        // Any text: a client may ask for a status that only newer servers know.
        let status = QueryParameter(
            "status", .string(),
            note: "Spaces of this status, or all; active unless told. Of no other status there is any.")
        return account.route(
            .get, "/v1/spaces", summary: "Lists spaces.", query: [status],
            responses: [.json(.ok, .object([.required("spaces", .array(of: SpaceSchemas.info))]))],
            handler: { request, session in
                let name = request.query("status") ?? SpaceStatus.active.rawValue
                let status = SpaceStatus(rawValue: name)
                let isKnown = name == "all" || status != nil
                let spaces = isKnown ? try await session.store.spaces(status: status) : []
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
                return .created(.object(space.whole))
            })
    }

    private var derived: Route {
        account.route(
            .get, "/v1/spaces/derived", summary: "Lists the spaces that follow from the account's key.",
            responses: [
                .json(
                    .ok,
                    .object([
                        .required(
                            "spaces",
                            .array(
                                of: .object([
                                    .required("name", .string()), .required("spaceId", .string()),
                                    .required("created", .boolean), .optional("status", SpaceSchemas.status),
                                ])))
                    ]))
            ],
            handler: { _, session in
                let spaces = try await session.store.spaces().filter(\.isDerived)
                return .json([
                    "spaces": .array(
                        spaces.map { space in
                            [
                                "name": .string(space.name ?? ""), "spaceId": .string(space.id),
                                "created": .bool(space.status != .deleted), "status": .string(space.status.rawValue),
                            ]
                        })
                ])
            })
    }

    private var sync: Route {
        account.route(
            .post, "/v1/spaces/:id/sync",
            summary: "Brings a space up to date. There is no network here that would have more of it.",
            responses: [.noContent], errors: .spaceReading,
            handler: { request, session in
                guard try await session.store.space(request.path("id")).status != .deleted else {
                    throw SpaceError.deleted
                }
                return .noContent
            })
    }

    private var get: Route {
        account.route(
            .get, "/v1/spaces/:id", summary: "One space.", responses: [.json(.ok, SpaceSchemas.info)],
            errors: [.spaceNotFound],
            handler: { request, session in .json(.object(try await session.store.space(request.path("id")).whole)) })
    }

    private var update: Route {
        account.route(
            .patch, "/v1/spaces/:id",
            summary: "Changes what a space's members see of it; an empty text takes a field away.",
            body: SpaceSchemas.details, responses: [.noContent], errors: .spaceWriting,
            preflight: { request, session in _ = try await session.store.space(request.path("id")) },
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
            responses: [.noContent], errors: [.spaceNotFound, .spaceDerivedUndeletable],
            handler: { request, session in
                try await session.store.deleteSpace(request.path("id"))
                return .noContent
            })
    }

    // Whether a value is a scalar is judged with the rest of the patch, whose errors name the key.
    private static let settingsPatch = Schema.named(
        "SettingsPatch",
        .object([
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
