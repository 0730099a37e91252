/// The routes of spaces of two.
struct OneToOneRoutes {
    private let account: AccountRouting

    init(_ account: AccountRouting) {
        self.account = account
    }

    var all: [Route] { [create, accept, decline, earlierAccept, earlierDecline] }

    private static let errors: [ErrorCode] = .spaceReading + [.spaceNotOneToOne, .spaceNotPending]

    private var create: Route {
        account.route(
            .post, "/v1/spaces/one-to-one", summary: "Makes the space of this account and another; again, finds it.",
            body: .named(
                "OneToOne",
                .object([
                    .optional("otherIdentity", .string(isEmptyAbsent: true), "The other account, A…. Required."),
                    .deprecated("identity", .string(isEmptyAbsent: true), insteadOf: "otherIdentity"),
                ])),
            responses: [.json(.created, SpaceSchemas.info)], errors: [.spaceDeleted],
            handler: { request, session in
                let field = "otherIdentity"
                guard let identity = request.text(field) ?? request.text("identity") else {
                    throw APIError(.missingField, "\(field) required", details: ["field": .string(field)])
                }
                do {
                    return .created(.object(try await session.store.createOneToOne(with: identity).whole))
                } catch SpaceError.invalidIdentity {
                    throw APIError(
                        .invalidField, "\(field) must be an account's identity, a text that starts with A",
                        details: ["field": .string(field)])
                } catch SpaceError.ownIdentity {
                    throw APIError(
                        .invalidField, "\(field) is this account's own; name another account's",
                        details: ["field": .string(field), "reason": "self"])
                }
            })
    }

    private var accept: Route { accept("/v1/spaces/:id/one-to-one/accept") }
    private var decline: Route { decline("/v1/spaces/:id/one-to-one/decline") }

    // Paths of ours from before, for one more version.
    private var earlierAccept: Route { accept("/v1/spaces/:id/accept", isDeprecated: true) }

    private var earlierDecline: Route {
        account.route(
            .post, "/v1/spaces/:id/decline", summary: "Declines a space of two that the other account began.",
            responses: [.json(.ok, SpaceSchemas.info)], errors: Self.errors, isDeprecated: true,
            handler: { request, session in
                .json(.object(try await session.store.declineOneToOne(request.path("id")).whole))
            })
    }

    private func accept(_ template: PathTemplate, isDeprecated: Bool = false) -> Route {
        account.route(
            .post, template, summary: "Accepts a space of two that the other account began.",
            responses: [.json(.ok, SpaceSchemas.info)], errors: Self.errors, isDeprecated: isDeprecated,
            handler: { request, session in
                .json(.object(try await session.store.acceptOneToOne(request.path("id")).whole))
            })
    }

    private func decline(_ template: PathTemplate) -> Route {
        account.route(
            .post, template, summary: "Declines a space of two that the other account began.",
            responses: [.noContent], errors: Self.errors,
            handler: { request, session in
                _ = try await session.store.declineOneToOne(request.path("id"))
                return .noContent
            })
    }
}
