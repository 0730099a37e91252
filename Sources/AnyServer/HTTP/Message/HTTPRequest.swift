/// A request as its handler sees it: routed, decoded and checked against what its route declares.
struct HTTPRequest: Sendable {
    /// What log lines and the `X-Request-Id` header call the request.
    let id: String
    let route: Route
    let headers: HTTPHeaders
    /// The fields of the body, empty when the route declares none.
    let body: JSONObject
    fileprivate let pathValues: [String: String]
    fileprivate let queryValues: [String: String]

    init(
        id: String, route: Route, headers: HTTPHeaders = HTTPHeaders(), pathValues: [String: String] = [:],
        queryValues: [String: String] = [:], body: JSONObject = JSONObject()
    ) {
        self.id = id
        self.route = route
        self.headers = headers
        self.pathValues = pathValues
        self.queryValues = queryValues
        self.body = body
    }

    /// The value of a `:name` of the route's path.
    func path(_ name: String) -> String {
        assert(pathValues[name] != nil, "\(route.template) has no :\(name)")
        return pathValues[name] ?? ""
    }

    /// The value of a declared query parameter, `nil` when it was not given.
    func query(_ name: String) -> String? {
        assert(route.query.contains { $0.name == name }, "\(route.template) declares no query parameter \(name)")
        return queryValues[name]
    }
}
