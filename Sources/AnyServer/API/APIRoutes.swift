/// The table of routes (any-api.md, "HTTP").
struct APIRoutes {
    private let host: ServerHost

    init(_ host: ServerHost) {
        self.host = host
    }

    /// Every route but that of the OpenAPI document, which the router makes of them.
    var all: [Route] {
        let account = AccountRouting(state: host.state)
        return ServerRoutes(host).all + AuthRoutes(host).all + PushRoutes(account).all + SpaceRoutes(account).all
            + SpaceQueryRoutes(account).all + MemberRoutes(account).all + MembershipRoutes(account).all
            + InviteRoutes(account).all
            + OneToOneRoutes(account).all + TransferRoutes(account).all
            + ChatRoutes(account).all + MessageRoutes(account).all + MessageQueryRoutes(account).all
            + CatalogRoutes(account).all + ProfileRoutes(account).all + DoctorRoutes(account).all
            + PushTestRoutes(account).all
    }
}

/// Makes the routes that need an account, whose handlers get it.
struct AccountRouting: Sendable {
    let state: ServerState

    /// What answers a request for an account.
    typealias Handler = @Sendable (HTTPRequest, AccountSession) async throws -> HTTPResponse

    /// See ``Route/init(_:_:summary:access:needsControlToken:objectIds:query:body:responses:errors:isDeprecated:preflight:handler:)``.
    /// A route of a space refuses the account's own space, and names what it does not find.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, summary: String, objectIds: Set<String> = [],
        query: [QueryParameter] = [], body: Schema? = nil, responses: [RouteResponse], errors: [ErrorCode] = [],
        isDeprecated: Bool = false, preflight: (@Sendable (HTTPRequest, AccountSession) async throws -> Void)? = nil,
        handler: @escaping Handler
    ) -> Route {
        let place = Place(template)
        var judge: (@Sendable (HTTPRequest) async throws -> Void)?
        if let preflight {
            judge = { [self] request in
                try await serve(request, at: place) { session in try await preflight(request, session) }
            }
        }
        return Route(
            method, template, summary: summary, objectIds: objectIds, query: query, body: body, responses: responses,
            errors: place.space == nil ? errors : errors + [.spaceUnsupported], isDeprecated: isDeprecated,
            preflight: judge,
            handler: { [self] request in
                try await serve(request, at: place) { session in try await handler(request, session) }
            })
    }

    /// The parameters of a path that name a space, and an object in it.
    private struct Place: Sendable {
        let space: String?
        let object: String?

        init(_ template: PathTemplate) {
            space = template.parameters.first { $0 == "space" || $0 == "id" }
            object = template.parameters.first { $0 == "object" || $0 == "chat" }
        }
    }

    private func serve<Result: Sendable>(
        _ request: HTTPRequest, at place: Place, _ body: (AccountSession) async throws -> Result
    ) async throws -> Result {
        guard let session = state.session else { throw APIError.noAccount }
        return try await session.use {
            if let space = place.space, request.path(space) == session.techSpaceId { throw SpaceError.unsupported }
            do {
                return try await body(session)
            } catch SpaceError.notFound {
                throw APIError.noSpace(
                    place.space.map { request.path($0) } ?? request.text("spaceId") ?? "",
                    object: place.object.map { request.path($0) } ?? request.text("objectId"))
            }
        }
    }
}

extension APIError {
    /// The account has no such space.
    static func noSpace(_ id: String, object: String?) -> APIError {
        var details: JSONObject = ["spaceId": .string(id)]
        details["objectId"] = object.map { .string($0) }
        return APIError(.spaceNotFound, "no such space", details: details)
    }
}

extension HTTPRequest {
    /// A text of the body, `nil` when it is absent or empty.
    func text(_ name: String) -> String? {
        body.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension [ErrorCode] {
    /// What reading a space's content may throw.
    static let spaceReading: [ErrorCode] = [.spaceNotFound, .spaceDeleted]
    /// What writing to a space may throw.
    static let spaceWriting: [ErrorCode] =
        spaceReading + [
            .spaceForbidden, .spaceReadOnly, .spaceNotAccepted, .spaceKeyMissing, .invalidField,
        ]
}
