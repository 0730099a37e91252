/// The routes of a chat's messages.
struct MessageRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [send, edit, delete, react, read, readReactions] }

    private static let messages = "/v1/spaces/:space/objects/:object/chat/messages"

    // Open: what a client sends beside these is dropped.
    private static let draft = Schema.named(
        "ChatMessageDraft",
        .openObject([
            .optional("text", .string(), "At most 32 KiB; required unless there are attachments or a control."),
            .optional("replyToMessageId", .any, "The message that it answers."), .optional("agent", .any),
            .optional("attachments", .any, "At most 32 of {type, link}."), .optional("context", .any),
            .optional("control", .any),
        ]))
    /// What every write of a record answers.
    static let written = Schema.named(
        "ModifyResult",
        .object([
            .required("versionId", .string(), "The change's place in its order."), .required("changeId", .string()),
            .required("recordIds", .array(of: .string()), "What was written to."),
            .optional("rejections", .array(of: .any)),
        ]))
    private static let edited = Schema.named(
        "ChatMessageEdit",
        .openObject([
            .optional("text", .string(), "At most 32 KiB; required."),
            .optional("agent", .any, "Stays as it is without it."),
        ]))

    private static let writing: [ErrorCode] = .spaceWriting + [.datasetNotDeclared, .objectNotFound]
    private static let changing: [ErrorCode] = writing + [.chatNotAuthor, .chatNotFound, .recordDeleted]

    private var send: Route {
        account.route(
            .post, PathTemplate(Self.messages), summary: "Sends a message.", objectIds: ["object"], body: Self.draft,
            responses: [.json(.created, Self.written)],
            errors: Self.writing + [
                .chatTextRequired, .chatTextTooLong, .chatReplyIdInvalid, .chatAgentInvalid, .chatAttachmentsInvalid,
                .chatContextInvalid, .chatControlInvalid,
            ],
            handler: { request, session in
                let write = try await session.store.sendMessage(
                    try ChatDraft(request.body), to: request.path("object"), in: request.path("space"))
                return .created(.object(write.json))
            })
    }

    private var edit: Route {
        account.route(
            .patch, PathTemplate(Self.messages + "/:message"), summary: "Changes the text of a message of one's own.",
            objectIds: ["object"], body: Self.edited, responses: [.json(.ok, Self.written)],
            errors: Self.changing + [.chatTextRequired, .chatTextTooLong, .chatAgentInvalid],
            handler: { request, session in
                let write = try await session.store.editMessage(
                    request.path("message"), text: request.body.string("text") ?? "",
                    agent: try MessageExtras(agentOf: request.body).agent, in: request.path("object"),
                    of: request.path("space"))
                return .json(.object(write.json))
            })
    }

    private var delete: Route {
        account.route(
            .delete, PathTemplate(Self.messages + "/:message"), summary: "Deletes a message of one's own.",
            objectIds: ["object"], responses: [.json(.ok, Self.written)], errors: Self.changing,
            handler: { request, session in
                let write = try await session.store.deleteMessage(
                    request.path("message"), in: request.path("object"), of: request.path("space"))
                return .json(.object(write.json))
            })
    }

    private var react: Route {
        account.route(
            .post, PathTemplate(Self.messages + "/:message/reactions/:emoji"),
            summary: "Puts a reaction on a message, or takes it off again.", objectIds: ["object"],
            responses: [.json(.ok, Self.written)],
            errors: Self.writing + [.chatNotFound, .chatEmojiInvalid, .recordDeleted],
            handler: { request, session in
                let reaction = try await session.store.toggleReaction(
                    request.path("emoji"), on: request.path("message"), in: request.path("object"),
                    of: request.path("space"))
                return .json(.object(reaction.write.json))
            })
    }

    private var read: Route {
        account.route(
            .post, PathTemplate(Self.messages + "/:message/read"),
            summary: "Marks a message and all before it as read.", objectIds: ["object"], responses: [.noContent],
            errors: .spaceReading + [.datasetNotDeclared, .objectNotFound, .chatNotFound],
            handler: { request, session in
                try await session.store.markRead(
                    upTo: request.path("message"), in: request.path("object"), of: request.path("space"))
                return .noContent
            })
    }

    private var readReactions: Route {
        account.route(
            .post, PathTemplate(Self.messages + "/:message/reactions-read"),
            summary: "Marks the reactions on a message as read.", objectIds: ["object"], responses: [.noContent],
            errors: .spaceReading + [.datasetNotDeclared, .objectNotFound],
            handler: { request, session in
                try await session.store.markReactionsRead(
                    on: request.path("message"), in: request.path("object"), of: request.path("space"))
                return .noContent
            })
    }
}
