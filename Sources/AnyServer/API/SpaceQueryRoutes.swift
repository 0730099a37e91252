/// The routes that ask for the records of the account itself, once and live.
struct SpaceQueryRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [query, subscribe] }

    /// The shape of an answer, of which a projection may have taken anything.
    static let answer = Schema.named(
        "QueryAnswer",
        .object([
            .required("records", .array(of: .anyObject)), .optional("total", .integer()),
            .optional("hasNext", .boolean),
        ]))

    private static let dataset = SchemaField.optional(
        "dataset", .oneOf(SpaceDataset.allCases.map(\.rawValue)),
        "spaces (unless told): a record for each space, whatever its status. profile: the account's own record.")

    private var query: Route {
        account.route(
            .post, "/v1/spaces/query", summary: "Asks for the account's spaces, or for its profile.",
            body: .named("SpaceQuery", .object([Self.dataset] + RecordQuery.fields + RecordQuery.snapshotFields)),
            responses: [.json(.ok, Self.answer)], errors: .querying,
            handler: { request, session in
                let topic = try Self.topic(request)
                let records = try await session.records(of: topic.dataset)
                return .json(topic.query.result(of: records).json)
            })
    }

    private var subscribe: Route {
        account.route(
            .post, "/v1/spaces/query/subscribe", summary: "Asks for the account's spaces and follows what changes.",
            body: .named("SpaceSubscription", .object([Self.dataset] + RecordQuery.fields + StreamOptions.fields)),
            responses: [.events(snapshot: Self.answer, changes: QueryChanges.schema)], errors: .querying,
            handler: { request, session in
                let (dataset, query) = try Self.topic(request, isLive: true)
                let stream = EventStream(options: StreamOptions(request.body), windowSize: query.limit)
                try await session.live.subscribe(stream, to: LiveTopic(dataset: .account(dataset), query: query))
                return .events(stream)
            })
    }

    private static func topic(
        _ request: HTTPRequest, isLive: Bool = false
    ) throws(APIError) -> (dataset: SpaceDataset, query: RecordQuery) {
        let dataset = request.text("dataset").flatMap(SpaceDataset.init) ?? .spaces
        return (dataset, try RecordQuery(request.body, standardSort: QuerySort("createdAt"), isLive: isLive))
    }
}
