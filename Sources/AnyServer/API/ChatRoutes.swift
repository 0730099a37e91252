import PushNode

/// The routes of a space's chats.
struct ChatRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [list, create, properties, readAll] }

    private static let chat = Schema.named(
        "Chat",
        .object([
            .required("id", .string()), .optional("name", .string()), .required("isGeneral", .boolean),
            .optional("notifyMode", .oneOf(notifyModes), "This account's override."),
            .required("unread", .integer()), .required("unreadMentions", .integer()),
            .required("unreadReactions", .integer()), .optional("lastMessageId", .string()),
        ]))

    private static let notifyModes = ["none", "mentions", "all"]

    private var list: Route {
        account.route(
            .get, "/v1/spaces/:space/chats", summary: "Lists the chats of a space, the general one first.",
            responses: [.json(.ok, .object([.required("chats", .array(of: Self.chat))]))], errors: .spaceReading,
            handler: { request, session in
                let chats = try await session.store.chats(of: request.path("space"))
                return .json(["chats": .array(chats.map { .object($0.json) })])
            })
    }

    private var create: Route {
        account.route(
            .post, "/v1/spaces/:space/chats", summary: "Makes a further chat.",
            body: .object([.required("name", .string(isEmptyAbsent: true))]),
            responses: [.json(.created, Self.chat)], errors: .spaceWriting,
            handler: { request, session in
                let chat = try await session.store.createChat(
                    name: request.text("name") ?? "", in: request.path("space"))
                return .created(.object(chat.json))
            })
    }

    private static let patch = Schema.named(
        "ChatPropertiesPatch",
        .object([
            .required(
                "patch",
                .object([
                    .required(
                        "notifyMode", .nullable(.string(maxBytes: ChatLimits.modeByteCount)),
                        "none, mentions or all; any other text is kept and counts as none given, and null takes it away."
                    )
                ]))
        ]))

    private var properties: Route {
        account.route(
            .post, "/v1/spaces/:space/properties/:chat/set/chat",
            summary: "Says what this account wants to be notified of in a chat, whatever its space says.",
            objectIds: ["chat"], body: Self.patch, responses: [.json(.ok, MessageRoutes.written)],
            errors: .spaceReading + [.objectNotFound],
            handler: { request, session in
                let patch = request.body.object("patch") ?? [:]
                guard let value = patch["notifyMode"] else {
                    throw APIError(.missingField, "patch.notifyMode required", details: ["field": "patch.notifyMode"])
                }
                let write = try await session.store.setChatNotifyMode(
                    value.string, of: request.path("chat"), in: request.path("space"))
                // Before the answer: what is muted from now on must not wait for the next round.
                await session.push.chatModeWritten(in: request.path("space"))
                return .json(.object(write.json))
            })
    }

    private var readAll: Route {
        account.route(
            .post, "/v1/spaces/:space/objects/:object/chat/read-all", summary: "Marks a whole chat as read.",
            objectIds: ["object"], responses: [.noContent],
            errors: .spaceReading + [.datasetNotDeclared, .objectNotFound],
            handler: { request, session in
                try await session.store.markAllRead(in: request.path("object"), of: request.path("space"))
                return .noContent
            })
    }
}
