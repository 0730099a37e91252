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
            + TransferRoutes(account).all
            + ChatRoutes(account).all + MessageRoutes(account).all + MessageQueryRoutes(account).all
            + ProfileRoutes(account).all + DoctorRoutes(account).all + PushTestRoutes(account).all
    }
}

/// Makes the routes that need an account, whose handlers get it.
struct AccountRouting: Sendable {
    let state: ServerState

    /// What answers a request for an account.
    typealias Handler = @Sendable (HTTPRequest, AccountSession) async throws -> HTTPResponse

    /// See ``Route/init(_:_:summary:access:needsControlToken:objectIds:query:body:responses:errors:handler:)``.
    func route(
        _ method: HTTPMethod, _ template: PathTemplate, summary: String, objectIds: Set<String> = [],
        query: [QueryParameter] = [], body: Schema? = nil, responses: [RouteResponse], errors: [ErrorCode] = [],
        handler: @escaping Handler
    ) -> Route {
        Route(
            method, template, summary: summary, objectIds: objectIds, query: query, body: body, responses: responses,
            errors: errors,
            handler: { [state] request in
                guard let session = state.session else { throw APIError.noAccount }
                return try await session.use { try await handler(request, session) }
            })
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
            .spaceForbidden, .spaceNotActive, .spaceKeyMissing, .invalidField,
        ]
}
