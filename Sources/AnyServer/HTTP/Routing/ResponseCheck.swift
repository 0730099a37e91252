/// Holds what handlers answer to what their routes declare, so that the OpenAPI document, which is made of the
/// declarations, stays true. Debug builds check every response and every error; a difference is a fault, and the client
/// gets `500`.
enum ResponseCheck {
    /// A response or an error that its route does not declare.
    struct Undeclared: Error, Hashable, CustomStringConvertible {
        let route: PathTemplate
        let problem: String

        var description: String { "\(route): \(problem)" }
    }

    #if DEBUG
        static let isOn = true
    #else
        static let isOn = false
    #endif

    /// - Throws: ``Undeclared``.
    static func check(_ response: HTTPResponse, of route: Route) throws(Undeclared) {
        guard isOn else { return }
        let declared = route.responses.filter { $0.status == response.status }
        guard !declared.isEmpty else { throw Undeclared(route: route.template, problem: "answers \(response.status)") }
        guard declared.contains(where: { $0.fits(response.content) }) else {
            throw Undeclared(route: route.template, problem: problem(of: response.content, declared))
        }
    }

    /// - Throws: ``Undeclared``.
    static func check(_ error: APIError, of route: Route) throws(Undeclared) {
        guard isOn, !route.allErrors.contains(error.code) else { return }
        throw Undeclared(route: route.template, problem: "throws \(error.code)")
    }

    private static func problem(of content: HTTPResponse.Content, _ declared: [RouteResponse]) -> String {
        for response in declared {
            guard case (.json(let value), .json(_, let schema)) = (content, response) else { continue }
            guard let error = schema.problem(with: value) else { continue }
            return "answers \(response.status) with a body that is not as declared: \(error)"
        }
        return "answers with another kind of content than declared"
    }
}

extension RouteResponse {
    fileprivate func fits(_ content: HTTPResponse.Content) -> Bool {
        switch (self, content) {
        case (.json(_, let schema), .json(let value)): schema.problem(with: value) == nil
        case (.bytes(let declared), .bytes(_, let type)): declared == type
        case (.noContent, .none), (.events, .events): true
        default: false
        }
    }
}

extension Schema {
    /// What is wrong with a value, `nil` when it has this shape.
    func problem(with value: JSONValue) -> APIError? {
        do throws(APIError) {
            try checkBody(value)
            return nil
        } catch {
            return error
        }
    }
}
