/// What stands before a request's body, as it came.
struct RequestHead: Hashable, Sendable {
    /// The method's name, which need not be an ``HTTPMethod``.
    var method: String
    /// The request target with its query, neither decoded nor known to be UTF-8.
    var target: [UInt8]
    /// `HTTP/1.1` or another version.
    var version: String
    var headers: HTTPHeaders

    /// The length that the client announces, `nil` when it announces none or no number.
    var contentLength: Int? {
        headers["Content-Length"].flatMap { Int($0) }
    }
}
