/// The routes that ask for a chat's messages, once and live.
struct MessageQueryRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [query, subscribe] }

    /// The dataset that a chat has.
    static let dataset = "chat_messages"

    private static let place: [SchemaField] = [
        .required("objectId", .objectId, "The chat."),
        .required("dataset", .string(isEmptyAbsent: true), "chat_messages; another one of a chat is empty."),
    ]
    private static let errors: [ErrorCode] = .spaceReading + .querying + [.objectNotFound]

    private var query: Route {
        account.route(
            .post, "/v1/spaces/:space/query", summary: "Asks for messages of a chat, by _ver.id unless told.",
            body: .named("MessageQuery", .object(Self.place + RecordQuery.fields + RecordQuery.snapshotFields)),
            responses: [.json(.ok, SpaceQueryRoutes.answer)], errors: Self.errors,
            handler: { request, session in
                let query = try RecordQuery(request.body, standardSort: QuerySort("_ver", "id"))
                let (space, chat) = try await Self.chat(request, session)
                guard request.text("dataset") == Self.dataset else { return .json(query.result(of: []).json) }
                let scan = MessageScan(query, includesDeleted: request.body.bool("includeDeleted") ?? false)
                return .json(try await scan.result(of: chat, in: space, session.store).json)
            })
    }

    private var subscribe: Route {
        account.route(
            .post, "/v1/spaces/:space/query/subscribe",
            summary: "Asks for messages of a chat and follows what changes.",
            body: .named("MessageSubscription", .object(Self.place + RecordQuery.fields + StreamOptions.fields)),
            responses: [.events(snapshot: SpaceQueryRoutes.answer, changes: QueryChanges.schema)], errors: Self.errors,
            handler: { request, session in
                let query = try RecordQuery(request.body, standardSort: QuerySort("_ver", "id"), isLive: true)
                let (space, chat) = try await Self.chat(request, session)
                let isKnown = request.text("dataset") == Self.dataset
                let dataset = isKnown ? LiveDataset.messages(space: space, chat: chat) : .nothing
                let stream = EventStream(options: StreamOptions(request.body), windowSize: query.limit)
                try await session.live.subscribe(stream, to: LiveTopic(dataset: dataset, query: query))
                return .events(stream)
            })
    }

    /// The chat that a body names.
    ///
    /// - Throws: `object.not_found`, or an error of the space.
    private static func chat(
        _ request: HTTPRequest, _ session: AccountSession
    ) async throws -> (space: String, chat: String) {
        let (space, chat) = (request.path("space"), request.text("objectId") ?? "")
        guard try await session.store.chat(chat, of: space) != nil else { throw ChatError.chatNotFound }
        return (space, chat)
    }
}
