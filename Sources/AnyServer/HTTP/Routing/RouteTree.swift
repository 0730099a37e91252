/// The routes by path. Looking one up takes a step for each segment, however many routes there are.
struct RouteTree: Sendable {
    private struct Node: Sendable {
        var literals: [String: Node] = [:]
        var parameter: [Node] = []
        var routes: [HTTPMethod: Route] = [:]
    }

    /// What serves a path.
    struct Match: Sendable {
        let routes: [HTTPMethod: Route]
        /// The texts in the places of parameters, in order.
        let values: [String]
    }

    private var root = Node()

    /// - Throws: ``RouteTableError`` when two routes are the same or one is malformed.
    init(_ routes: [Route]) throws(RouteTableError) {
        for route in routes {
            guard Set(route.template.parameters).count == route.template.parameters.count,
                route.objectIds.isSubset(of: route.template.parameters)
            else { throw .badParameters(route.template) }
            guard Self.insert(route, route.template.segments[...], into: &root) else {
                throw .duplicate(route.method, route.template)
            }
        }
    }

    /// The routes of a path, `nil` when there are none. Where both fit, a literal goes before a parameter.
    func match(_ segments: [String]) -> Match? {
        var values: [String] = []
        guard let routes = Self.find(segments[...], in: root, values: &values) else { return nil }
        return Match(routes: routes, values: values)
    }

    private static func insert(
        _ route: Route, _ rest: ArraySlice<PathTemplate.Segment>, into node: inout Node
    ) -> Bool {
        switch rest.first {
        case nil:
            guard node.routes[route.method] == nil else { return false }
            node.routes[route.method] = route
            return true
        case .literal(let text):
            return insert(route, rest.dropFirst(), into: &node.literals[text, default: Node()])
        case .parameter:
            if node.parameter.isEmpty { node.parameter.append(Node()) }
            return insert(route, rest.dropFirst(), into: &node.parameter[0])
        }
    }

    private static func find(
        _ rest: ArraySlice<String>, in node: Node, values: inout [String]
    ) -> [HTTPMethod: Route]? {
        guard let text = rest.first else { return node.routes.isEmpty ? nil : node.routes }
        if let next = node.literals[text], let routes = find(rest.dropFirst(), in: next, values: &values) {
            return routes
        }
        guard !text.isEmpty, let next = node.parameter.first else { return nil }
        values.append(text)
        if let routes = find(rest.dropFirst(), in: next, values: &values) { return routes }
        values.removeLast()
        return nil
    }
}

/// Why a table of routes can not be served. A mistake in the program.
enum RouteTableError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Two routes have the same method and path.
    case duplicate(HTTPMethod, PathTemplate)
    /// A path has a parameter twice, or lacks one that the route names.
    case badParameters(PathTemplate)

    var description: String {
        switch self {
        case .duplicate(let method, let template): "\(method.rawValue) \(template) is declared twice"
        case .badParameters(let template): "\(template) has a parameter twice or lacks one that its route names"
        }
    }
}
