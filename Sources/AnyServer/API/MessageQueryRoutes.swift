import PushCrypto

/// The route that asks for a chat's messages.
struct MessageQueryRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [query] }

    /// The dataset that a chat has.
    static let dataset = "chat_messages"
    /// How many messages are sent unless told.
    private static let standardLimit = 100

    private var query: Route {
        let fields: [SchemaField] = [
            .required("objectId", .objectId, "The chat."),
            .required("dataset", .string(isEmptyAbsent: true), "chat_messages."),
        ]
        return account.route(
            .post, "/v1/spaces/:space/query",
            summary: "Asks for messages of a chat, by _ver.id (oldest first) or -_ver.id.",
            body: .named("MessageQuery", .object(fields + RecordQuery.fields)),
            responses: [.json(.ok, SpaceQueryRoutes.answer)], errors: .spaceReading + [.datasetNotDeclared],
            handler: { request, session in
                guard request.text("dataset") == Self.dataset else {
                    throw APIError(.datasetNotDeclared, "the only dataset of an object is \(Self.dataset)")
                }
                let query = try RecordQuery(
                    request.body, standardSort: QuerySort("_ver", "id"), standardLimit: Self.standardLimit)
                let scan = try MessageScan(query)
                let chat = request.text("objectId") ?? ""
                return .json(try await scan.result(of: chat, in: request.path("space"), session.store).json)
            })
    }
}
