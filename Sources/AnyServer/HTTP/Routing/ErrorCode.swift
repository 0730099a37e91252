/// The `code` of an error envelope and the status that goes with it.
///
/// Open, so that each part of the API declares its own in an extension; those of every route are here (any-api.md,
/// "HTTP").
struct ErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// Such as `request.unknown_field`. Clients decide by it, so it never changes.
    let name: String
    let status: HTTPStatus

    init(_ name: String, _ status: HTTPStatus) {
        self.name = name
        self.status = status
    }

    var description: String { name }

    /// The request makes no sense, and no other code says why.
    static let bad = ErrorCode("request.bad", .badRequest)
    /// The body is no JSON, or a value in it is of another kind than belongs there.
    static let badJSON = ErrorCode("request.bad_json", .badRequest)
    /// The request did not come whole in time.
    static let requestTimeout = ErrorCode("request.timeout", .requestTimeout)
    /// A required field is absent.
    static let missingField = ErrorCode("request.missing_field", .badRequest)
    /// A field's value is not allowed.
    static let invalidField = ErrorCode("request.invalid_field", .badRequest)
    /// A field is not known.
    static let unknownField = ErrorCode("request.unknown_field", .badRequest)
    /// An object id is the text that some language prints for nothing.
    static let objectIdRequired = ErrorCode("object.id_required", .badRequest)
    /// No account runs.
    static let authRequired = ErrorCode("auth.required", .unauthorized)
    /// The server asks its clients for a token, and the request has none or another. Not in the contract.
    static let tokenRequired = ErrorCode("auth.token_required", .unauthorized)
    /// The control token is absent or wrong.
    static let controlForbidden = ErrorCode("control.forbidden", .forbidden)
    /// A web page of another site asks. Not in the contract, whose clients never see it.
    static let originForbidden = ErrorCode("request.forbidden_origin", .forbidden)
    /// There is no such route.
    static let notFound = ErrorCode("request.not_found", .notFound)
    /// The route has no such method.
    static let methodNotAllowed = ErrorCode("request.method_not_allowed", .methodNotAllowed)
    /// The body is larger than 1 MiB.
    static let tooLarge = ErrorCode("request.too_large", .contentTooLarge)
    /// Something went wrong that the client can do nothing about.
    static let internalError = ErrorCode("internal", .internalError)
    /// The part of the API that the request needs is not there.
    static let notImplemented = ErrorCode("sdk.not_implemented", .notImplemented)
    /// The server stops, is overloaded, or gave the request up.
    static let unavailable = ErrorCode("server.unavailable", .unavailable)
}
