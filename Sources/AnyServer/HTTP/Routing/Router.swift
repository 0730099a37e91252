/// Answers requests by a table of routes: the checks that come before a handler, the handler, and the errors of both.
struct Router: Sendable {
    /// Where the document of the table itself is served.
    static let documentPath: PathTemplate = "/v1/openapi.json"

    /// Every route that is served, the document's own included.
    let routes: [Route]
    private let tree: RouteTree
    private let gate: any RequestGate
    private let browsers: BrowserPolicy
    private let onFault: @Sendable (Fault) -> Void

    /// An error that became `500 internal`. For the log: the client hears no more than the code, and where to look.
    struct Fault: Sendable {
        let requestId: String
        let route: PathTemplate
        let error: any Error
    }

    /// - Parameters:
    ///   - routes: The table, without the document's route.
    ///   - version: The version that the document gives for the API.
    ///   - onFault: Hears of errors that became `500 internal`.
    /// - Throws: ``RouteTableError``.
    init(
        routes: [Route], gate: any RequestGate, browsers: BrowserPolicy = BrowserPolicy(), version: String = "0",
        onFault: @escaping @Sendable (Fault) -> Void = { _ in }
    ) throws(RouteTableError) {
        let declared = routes + [Self.documentRoute { .noContent }]
        let document = HTTPResponse.json(OpenAPIDocument(routes: declared, version: version).value)
        self.routes = routes + [Self.documentRoute { document }]
        tree = try RouteTree(self.routes)
        self.gate = gate
        self.browsers = browsers
        self.onFault = onFault
    }

    /// What became of a request.
    struct Outcome: Sendable {
        var response: HTTPResponse
        /// The route, `nil` when there was none.
        var route: PathTemplate?
    }

    /// Answers a request, whatever it is.
    func respond(to head: RequestHead, body: [UInt8], id: String) async -> Outcome {
        var outcome = Outcome(response: .noContent)
        do throws(APIError) {
            try browsers.check(head)
            // A preflight cannot carry it, and learns nothing.
            if head.method != "OPTIONS", let token = gate.clientToken, !token.isShown(by: head) {
                outcome.response.headers.add("WWW-Authenticate", "Bearer")
                throw APIError(.tokenRequired, "the request shows no token, or not the one of listen.tokenFile")
            }
            let target = try RequestTarget(head.target)
            guard let match = tree.match(target.segments) else {
                throw APIError(.notFound, "there is no such route")
            }
            outcome.route = match.routes.values.first?.template
            if let route = try route(match, head, response: &outcome.response) {
                outcome.route = route.template
                outcome.response = try await serve(route, match, target, head, body: body, id: id)
            }
        } catch {
            let response = error.response
            outcome.response.status = response.status
            outcome.response.content = response.content
        }
        complete(&outcome.response, head, id: id)
        return outcome
    }

    /// The response to a request that is refused before it is routed.
    func refusal(_ error: APIError, of head: RequestHead, id: String) -> HTTPResponse {
        var response = error.response
        complete(&response, head, id: id)
        return response
    }

    private func complete(_ response: inout HTTPResponse, _ head: RequestHead, id: String) {
        response.headers.add(RequestIds.header, id)
        response.headers.add("X-Content-Type-Options", "nosniff")
        for field in browsers.headers(for: head) { response.headers.add(field.name, field.value) }
    }

    /// The route of a request's method, `nil` for `OPTIONS`, which `response` answers.
    private func route(
        _ match: RouteTree.Match, _ head: RequestHead, response: inout HTTPResponse
    ) throws(APIError) -> Route? {
        let name = head.method == "HEAD" ? HTTPMethod.get.rawValue : head.method
        if let method = HTTPMethod(rawValue: name), let route = match.routes[method] { return route }
        var methods = HTTPMethod.allCases.filter { match.routes[$0] != nil }.map(\.rawValue)
        if match.routes[.get] != nil { methods.insert("HEAD", at: 1) }
        methods.append("OPTIONS")
        let allowed = methods.joined(separator: ", ")
        response.headers.add("Allow", allowed)
        guard head.method == "OPTIONS" else {
            throw APIError(.methodNotAllowed, "the route has no such method; allowed methods: \(allowed)")
        }
        for field in browsers.preflightHeaders(for: head, methods: allowed) {
            response.headers.add(field.name, field.value)
        }
        return nil
    }

    private func serve(
        _ route: Route, _ match: RouteTree.Match, _ target: RequestTarget, _ head: RequestHead, body: [UInt8],
        id: String
    ) async throws(APIError) -> HTTPResponse {
        if route.access == .account, !gate.isAccountRunning {
            throw APIError(.authRequired, "no account is running on this server")
        }
        if route.needsControlToken, let token = gate.controlToken {
            guard let given = head.headers[ControlToken.header], token.matches(given) else {
                throw APIError(.controlForbidden, "the control token is missing or wrong")
            }
        }
        let pathValues = Dictionary(uniqueKeysWithValues: zip(route.template.parameters, match.values))
        for name in route.objectIds.sorted() where ObjectIdText.isNil(pathValues[name] ?? "") {
            throw ObjectIdText.required(name)
        }
        let queryValues = try QueryReader.read(target.query, for: route.query)
        if let preflight = route.preflight {
            let bare = HTTPRequest(
                id: id, route: route, headers: head.headers, pathValues: pathValues, queryValues: queryValues)
            do { try await preflight(bare) } catch { throw answer(to: error, of: route, id: id) }
        }
        let request = HTTPRequest(
            id: id, route: route, headers: head.headers, pathValues: pathValues, queryValues: queryValues,
            body: try BodyReader.read(body, for: route))
        do {
            return try checked(try await route.handler(request), of: route)
        } catch {
            throw answer(to: error, of: route, id: id)
        }
    }

    private func checked(_ response: HTTPResponse, of route: Route) throws(ResponseCheck.Undeclared) -> HTTPResponse {
        do throws(ResponseCheck.Undeclared) {
            try ResponseCheck.check(response, of: route)
            return response
        } catch {
            if case .events(let stream) = response.content { stream.end() }
            throw error
        }
    }

    private func answer(to error: any Error, of route: Route, id: String) -> APIError {
        do {
            let known: APIError
            switch error {
            case let error as APIError: known = error
            case let error as any APIErrorConvertible: known = error.apiError
            case is CancellationError: known = APIError(.unavailable, "the request was given up before it was done")
            default: throw error
            }
            try ResponseCheck.check(known, of: route)
            // An error that a handler made for its client has said in the log what it knows.
            if known.code == .internalError, !(error is APIError) { report(error, of: route, id: id) }
            return known
        } catch {
            report(error, of: route, id: id)
            return APIError(.internalError, "internal error; see the server's log")
        }
    }

    private func report(_ error: any Error, of route: Route, id: String) {
        onFault(Fault(requestId: id, route: route.template, error: error))
    }

    private static func documentRoute(_ response: @escaping @Sendable () -> HTTPResponse) -> Route {
        Route(
            .get, documentPath, summary: "This document.", access: .open, responses: [.json(.ok, .anyObject)],
            handler: { _ in response() })
    }
}
