/// An error as the client sees it: `{"error":{"code","message","details"?}}`.
///
/// The message is for people and holds nothing secret: no token, key, message text or path of a file.
struct APIError: Error, Hashable, Sendable, CustomStringConvertible {
    let code: ErrorCode
    let message: String
    /// What a program may want to know, `nil` for nothing.
    let details: JSONObject?

    init(_ code: ErrorCode, _ message: String, details: JSONObject? = nil) {
        self.code = code
        self.message = message
        self.details = details
    }

    var description: String { "\(message) (\(code))" }

    /// The response that tells the client.
    var response: HTTPResponse {
        var error: JSONObject = ["code": .string(code.name), "message": .string(message)]
        if let details { error["details"] = .object(details) }
        return .json(["error": .object(error)], status: code.status)
    }

    /// The shape of every error's body.
    static let schema = Schema.named(
        "Error",
        .object([
            .required(
                "error",
                .object([
                    .required("code", .string(), "What went wrong, for programs."),
                    .required("message", .string(), "What went wrong, for people."),
                    .optional("details", .anyObject, "What belongs to this code."),
                ]))
        ]))
}

/// An error of another part of the server that knows what the client may hear of it. Others become `500 internal`.
protocol APIErrorConvertible: Error {
    var apiError: APIError { get }
}
