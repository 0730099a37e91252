import AnyServer

/// A request to the server's API.
struct ServerRequest: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    let method: Method
    let path: RequestPath
    /// JSON, `nil` for none.
    var body: [UInt8]?

    /// A request without a body.
    init(_ method: Method, _ path: RequestPath) {
        self.method = method
        self.path = path
    }

    /// A request with a body.
    init(_ method: Method, _ path: RequestPath, body: JSONObject) {
        self.init(method, path, body: JSONWriter.bytes(.object(body)))
    }

    /// A request with a body that is JSON already.
    init(_ method: Method, _ path: RequestPath, body: [UInt8]) {
        self.init(method, path)
        self.body = body
    }
}
