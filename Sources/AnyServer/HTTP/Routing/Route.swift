/// One route: what serves it, and everything about it that a client may want to know. The table of routes that serves
/// is the table that the OpenAPI document is made of.
struct Route: Sendable {
    /// Answers a request. An ``APIError`` goes to the client; any other error is `500 internal` there and a fault here.
    typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// Whether the server has to run an account.
    enum Access: Hashable, Sendable {
        /// Always served.
        case open
        /// `401 auth.required` until an account runs.
        case account
    }

    let method: HTTPMethod
    let template: PathTemplate
    /// One line for people.
    let summary: String
    let access: Access
    /// Whether a managed server asks for its control token; `403 control.forbidden` without it.
    let needsControlToken: Bool
    /// Path parameters that are ids of objects, refused when they are the text for nothing.
    let objectIds: Set<String>
    let query: [QueryParameter]
    /// The shape of the body, `nil` when the route reads none.
    let body: Schema?
    let responses: [RouteResponse]
    /// The codes that the handler itself throws, besides those that every route like it has.
    let errors: [ErrorCode]
    /// Whether it is a form of ours from before, which is served for one more version.
    let isDeprecated: Bool
    /// What is judged before the body is; its request has none.
    let preflight: (@Sendable (HTTPRequest) async throws -> Void)?
    let handler: Handler

    /// Declares a route.
    ///
    /// - Parameters:
    ///   - method: The method; `HEAD` comes with ``HTTPMethod/get``.
    ///   - template: The path, with `:name` for what varies.
    ///   - responses: What the handler answers when all is well.
    ///   - errors: What it throws besides.
    ///   - preflight: What is judged before the body is, such as whether what the path names is there.
    init(
        _ method: HTTPMethod, _ template: PathTemplate, summary: String, access: Access = .account,
        needsControlToken: Bool = false, objectIds: Set<String> = [], query: [QueryParameter] = [], body: Schema? = nil,
        responses: [RouteResponse], errors: [ErrorCode] = [], isDeprecated: Bool = false,
        preflight: (@Sendable (HTTPRequest) async throws -> Void)? = nil, handler: @escaping Handler
    ) {
        self.method = method
        self.template = template
        self.summary = summary
        self.access = access
        self.needsControlToken = needsControlToken
        self.objectIds = objectIds
        self.query = query
        self.body = body
        self.responses = responses
        self.errors = errors
        self.isDeprecated = isDeprecated
        self.preflight = preflight
        self.handler = handler
    }

    /// Every code that the route may answer with.
    var allErrors: [ErrorCode] {
        var codes: [ErrorCode] = [.bad]
        if access == .account { codes.append(.authRequired) }
        if needsControlToken { codes.append(.controlForbidden) }
        if body != nil {
            codes += [.badJSON, .missingField, .invalidField, .unknownField, .tooLarge]
        } else if !query.isEmpty {
            codes += [.missingField, .invalidField]
        }
        if !objectIds.isEmpty { codes.append(.objectIdRequired) }
        codes += errors.filter { !codes.contains($0) }
        return codes + [ErrorCode.originForbidden, .internalError, .unavailable].filter { !codes.contains($0) }
    }
}

/// One thing that a route answers when all is well.
enum RouteResponse: Hashable, Sendable {
    /// A JSON body.
    case json(HTTPStatus = .ok, Schema)
    /// A body of another media type, such as `text/plain`.
    case bytes(type: String)
    /// `204`.
    case noContent
    /// Server-sent events with the payloads of `snapshot` and `changes`.
    case events(snapshot: Schema, changes: Schema)

    var status: HTTPStatus {
        switch self {
        case .json(let status, _): status
        case .noContent: .noContent
        case .bytes, .events: .ok
        }
    }
}

/// One item of a route's query. Items that no route declares are ignored, as the contract's clients expect.
struct QueryParameter: Hashable, Sendable {
    let name: String
    /// ``Schema/string(maxBytes:isEmptyAbsent:)``, ``Schema/oneOf(_:)``, ``Schema/integer(_:)`` or ``Schema/boolean``.
    let schema: Schema
    let isRequired: Bool
    let note: String?

    init(_ name: String, _ schema: Schema, isRequired: Bool = false, note: String? = nil) {
        self.name = name
        self.schema = schema
        self.isRequired = isRequired
        self.note = note
    }
}
