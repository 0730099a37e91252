/// Which web pages may use the server, and under which names it answers.
///
/// A caller need prove nothing unless the server asks for a token, so a page of any site could otherwise have its visitor's browser write to it:
/// with a plain cross-site request, or by making its own name resolve to 127.0.0.1. Requests without an `Origin`, which
/// is every client but a browser, are never refused for it.
struct BrowserPolicy: Hashable, Sendable {
    /// Origins that may use the API, such as `https://app.example.org`. Another program's page on this machine is one like
    /// any other: who serves it may be another user.
    var origins: Set<String> = []
    /// Host names that the server answers to besides the loopback ones.
    var hosts: Set<String> = []

    /// - Throws: `request.forbidden_origin` for requests that a page of another site caused.
    func check(_ head: RequestHead) throws(APIError) {
        if let host = head.headers["Host"], !isOurs(host: host) {
            throw APIError(.originForbidden, "the server answers to localhost, 127.0.0.1 and [::1] only")
        }
        if let origin = head.headers["Origin"], !isAllowed(origin: origin) {
            throw APIError(.originForbidden, "this origin may not use the server; listen.origins names those that may")
        }
    }

    /// The headers that let an allowed page read the response, none for other clients.
    func headers(for head: RequestHead) -> [HTTPHeaders.Field] {
        guard let origin = head.headers["Origin"] else { return [] }
        var fields = [HTTPHeaders.Field(name: "Vary", value: "Origin")]
        if isAllowed(origin: origin) {
            fields.append(.init(name: "Access-Control-Allow-Origin", value: origin))
            fields.append(.init(name: "Access-Control-Expose-Headers", value: "X-Request-Id"))
        }
        return fields
    }

    /// What else an `OPTIONS` request asks before the real one.
    func preflightHeaders(for head: RequestHead, methods: String) -> [HTTPHeaders.Field] {
        guard head.headers["Origin"] != nil, head.headers["Access-Control-Request-Method"] != nil else { return [] }
        var fields: [HTTPHeaders.Field] = [
            .init(name: "Access-Control-Allow-Methods", value: methods),
            .init(
                name: "Access-Control-Allow-Headers",
                value: "Authorization, Content-Type, X-Request-Id, \(ControlToken.header)"),
            .init(name: "Access-Control-Max-Age", value: "600"),
        ]
        if head.headers["Access-Control-Request-Private-Network"] == "true" {
            fields.append(.init(name: "Access-Control-Allow-Private-Network", value: "true"))
        }
        return fields
    }

    private func isAllowed(origin: String) -> Bool { origins.contains(origin) }

    private func isOurs(host: String) -> Bool {
        let name = Self.name(of: host)
        return name.map { $0 == "localhost" || $0 == "[::1]" || Self.isLoopback($0) || hosts.contains($0) } ?? false
    }

    /// `host` without its port, `nil` when it is none.
    private static func name(of host: String) -> String? {
        var name = Substring(host.lowercased())
        if let colon = name.lastIndex(of: ":"), name.last != "]" {
            let port = name[name.index(after: colon)...]
            guard UInt16(port) != nil else { return nil }
            name = name[..<colon]
        }
        return name.isEmpty ? nil : String(name)
    }

    private static func isLoopback(_ name: String) -> Bool {
        guard let address = try? ListenAddress("\(name):0"), case .ipv4 = address.host else { return false }
        return true
    }
}
