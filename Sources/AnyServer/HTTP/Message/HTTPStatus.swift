/// A response's status code.
package struct HTTPStatus: Hashable, Sendable, CustomStringConvertible {
    /// Three digits.
    package let code: Int

    package init(_ code: Int) {
        self.code = code
    }

    static let ok = HTTPStatus(200)
    static let created = HTTPStatus(201)
    static let noContent = HTTPStatus(204)
    static let badRequest = HTTPStatus(400)
    static let unauthorized = HTTPStatus(401)
    static let forbidden = HTTPStatus(403)
    static let notFound = HTTPStatus(404)
    static let methodNotAllowed = HTTPStatus(405)
    static let requestTimeout = HTTPStatus(408)
    static let conflict = HTTPStatus(409)
    static let gone = HTTPStatus(410)
    static let contentTooLarge = HTTPStatus(413)
    static let internalError = HTTPStatus(500)
    static let notImplemented = HTTPStatus(501)
    static let unavailable = HTTPStatus(503)

    /// The text beside the code.
    package var reason: String {
        switch code {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 413: "Request Entity Too Large"
        case 415: "Unsupported Media Type"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: code < 400 ? "Success" : "Error"
        }
    }

    package var description: String { "\(code) \(reason)" }
}
