import PushNode

/// The routes by which spaces travel as files: JSON lines, page by page and batch by batch.
struct TransferRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [export, take] }

    private static let lines = Schema.array(of: .anyObject)

    private var export: Route {
        let cursor = QueryParameter("cursor", .string(), note: "next of the page before; none for the first.")
        return account.route(
            .get, "/v1/spaces/:id/export", summary: "A page of a space's records and changes, as lines of a file.",
            query: [cursor],
            responses: [.json(.ok, .object([.required("lines", Self.lines), .optional("next", .string())]))],
            errors: .spaceReading,
            handler: { request, session in
                let page = try await session.store.exportPage(of: request.path("id"), cursor: request.query("cursor"))
                var body: JSONObject = ["lines": .array(page.lines.map { .object($0) })]
                if let next = page.next { body["next"] = .string(next) }
                return .json(.object(body))
            })
    }

    private var take: Route {
        account.route(
            .post, "/v1/spaces/import", summary: "Takes lines of an export: all of them, or none.",
            body: .object([
                .required("lines", Self.lines, "The first is the space's line."),
                .optional("restore", .boolean, "Whether a space that was deleted here comes back."),
            ]),
            responses: [
                .json(
                    .ok,
                    .object([
                        .required("spaceId", .string()), .required("records", .integer(), "New records of the log."),
                        .required("changes", .integer(), "New changes of details and chats."),
                        .optional(
                            "settings", .integer(), "The account's own settings that another of its devices changed."),
                        .required("status", SpaceSchemas.status, "What the space is to the account now."),
                        .optional("removed", .boolean, "Whether the account was taken out of the space."),
                    ]))
            ],
            errors: [
                .spaceBadImport, .crdtVersionNewer, .spaceFork, .spaceGap, .spaceLogTooLarge, .spaceNotMember,
                .spaceDeleted,
            ],
            handler: { request, session in
                let lines = request.body.array("lines")?.compactMap(\.object) ?? []
                let result = try await session.store.importLines(
                    lines, restores: request.body.bool("restore") ?? false)
                let space = try await session.store.space(result.spaceId)
                var body: JSONObject = [
                    "spaceId": .string(result.spaceId), "records": .integer(Int64(result.records)),
                    "changes": .integer(Int64(result.changes)), "status": .string(space.status.rawValue),
                ]
                if space.wasRemoved { body["removed"] = true }
                if result.settings > 0 {
                    // Before the answer, as after a write of this device: what is muted is not waited for.
                    await session.push.chatModeWritten(in: result.spaceId)
                    body["settings"] = .integer(Int64(result.settings))
                }
                return .json(.object(body))
            })
    }
}
