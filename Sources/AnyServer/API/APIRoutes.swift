/// The table of routes (any-api.md, "HTTP").
struct APIRoutes {
    private let host: ServerHost

    init(_ host: ServerHost) {
        self.host = host
    }

    /// Every route but that of the OpenAPI document, which the router makes of them.
    var all: [Route] {
        ServerRoutes(host).all
    }
}

extension HTTPRequest {
    /// A text of the body, `nil` when it is absent or empty.
    func text(_ name: String) -> String? {
        body.string(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
