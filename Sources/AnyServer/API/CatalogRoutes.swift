/// The route by which clients find a space's general chat, as a bundle that every server has installed.
struct CatalogRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [generalChat] }

    private static let usecase = "general-chat"
    private static let bundleId = "system:general-chat/v1"

    private static let schema = Schema.named(
        "CatalogSetup",
        .object([
            .required("usecase", .string()),
            .required(
                "bundles",
                .array(
                    of: .object([
                        .required("id", .string()),
                        .required(
                            "bundle",
                            .object([
                                .required("id", .string()), .required("rootId", .string(), "The chat."),
                                .required("roots", .array(of: .string())), .required("derived", .boolean),
                            ])),
                        .required("installed", .boolean, "Whether this call has made it."),
                        .required("typeId", .string()),
                    ]))),
        ]))

    private var generalChat: Route {
        account.route(
            .post, "/v1/catalog/general-chat/setup",
            summary: "Finds the general chat of a space, which is always there.",
            body: .named("GeneralChatSetup", .object([.required("spaceId", .objectId)])),
            responses: [.json(.ok, Self.schema)], errors: .spaceReading,
            handler: { request, session in
                let space = request.text("spaceId") ?? ""
                guard let chat = try await session.store.chats(of: space).first(where: \.isGeneral) else {
                    throw SpaceError.notFound
                }
                let bundle: JSONValue = [
                    "id": .string(Self.bundleId), "rootId": .string(chat.id), "roots": [.string(chat.id)],
                    "derived": true,
                ]
                return .json([
                    "usecase": .string(Self.usecase),
                    "bundles": [
                        [
                            "id": .string(Self.bundleId), "bundle": bundle, "installed": false,
                            "typeId": .string(chat.id),
                        ]
                    ],
                ])
            })
    }
}
