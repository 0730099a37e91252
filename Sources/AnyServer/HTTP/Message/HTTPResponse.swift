/// What a handler answers.
struct HTTPResponse: Sendable {
    /// A response's body.
    enum Content: Sendable {
        case none
        case json(JSONValue)
        case bytes([UInt8], type: String)
        case events(EventStream)
    }

    var status: HTTPStatus
    var headers = HTTPHeaders()
    var content: Content

    /// A result: `200` unless told otherwise.
    static func json(_ value: JSONValue, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(status: status, content: .json(value))
    }

    /// `201` with what was made.
    static func created(_ value: JSONValue) -> HTTPResponse {
        .json(value, status: .created)
    }

    /// `204`, a side effect that has nothing to tell.
    static let noContent = HTTPResponse(status: .noContent, content: .none)

    /// `200` with events that `stream` brings until it is closed.
    static func events(_ stream: EventStream) -> HTTPResponse {
        HTTPResponse(status: .ok, content: .events(stream))
    }
}

/// A response as it goes to the daemon, so that the loop's thread encodes nothing.
struct EncodedResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        case events(EventStream)
    }

    var status: HTTPStatus
    var headers: HTTPHeaders
    var body: Body

    init(_ response: HTTPResponse) {
        status = response.status
        headers = response.headers
        switch response.content {
        case .none: body = .bytes([])
        case .json(let value):
            body = .bytes(JSONWriter.bytes(value))
            headers.add("Content-Type", "application/json; charset=utf-8")
        case .bytes(let bytes, let type):
            body = .bytes(bytes)
            headers.add("Content-Type", type)
        case .events(let stream):
            body = .events(stream)
            headers.add("Content-Type", "text/event-stream")
            headers.add("Cache-Control", "no-store")
        }
    }

    /// The whole response as it stands on the wire, for a connection that closes after it.
    var wireBytes: [UInt8] {
        guard case .bytes(let content) = body else { return [] }
        var text = "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: \(content.count)\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8) + content
    }
}
