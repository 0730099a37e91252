/// The OpenAPI 3.1 document of a table of routes.
struct OpenAPIDocument: Sendable {
    /// The document, with fields and routes in a stable order.
    let value: JSONValue

    init(routes: [Route], version: String) {
        var components = JSONObject()
        let error = APIError.schema.openAPI(components: &components)
        var paths = JSONObject()
        for route in routes {
            let path = route.template.openAPIPath
            var item = paths.object(path) ?? JSONObject()
            item[route.method.rawValue.lowercased()] = Self.operation(route, error: error, components: &components)
            paths[path] = .object(item)
        }
        value = [
            "openapi": "3.1.0",
            "info": ["title": "any", "version": .string(version), "license": ["name": "MIT", "identifier": "MIT"]],
            "servers": [["url": "http://127.0.0.1:7001"]],
            // No caller authentication: the server is reached from its own machine only.
            "security": [[:]],
            "paths": .object(paths),
            "components": [
                "schemas": .object(components),
                "securitySchemes": [
                    "controlToken": ["type": "apiKey", "in": "header", "name": .string(ControlToken.header)]
                ],
            ],
        ]
    }

    private static func operation(_ route: Route, error: JSONValue, components: inout JSONObject) -> JSONValue {
        var operation: JSONObject = [
            "operationId": .string(operationId(route)), "summary": .string(route.summary),
        ]
        if route.isDeprecated { operation["deprecated"] = true }
        // A server that nobody manages asks for no token.
        if route.needsControlToken { operation["security"] = [["controlToken": []], [:]] }
        let parameters =
            route.template.parameters.map { name -> JSONValue in
                ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
            } + route.query.map { Self.parameter($0, components: &components) }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.body {
            let schema = body.openAPI(components: &components, isRequest: true)
            operation["requestBody"] = [
                "required": .bool(body.hasRequiredField),
                // Nothing, and null, are as good as an object without fields.
                "content": [
                    "application/json": [
                        "schema": body.hasRequiredField ? schema : ["anyOf": [schema, ["type": "null"]]]
                    ]
                ],
            ]
        }
        var responses = JSONObject()
        for response in route.responses {
            responses[String(response.status.code)] = Self.response(response, components: &components)
        }
        for (status, codes) in errorsByStatus(route) {
            responses[String(status.code)] = [
                "description": .string(codes.map(\.name).joined(separator: ", ")),
                "content": ["application/json": ["schema": error]],
            ]
        }
        operation["responses"] = .object(responses)
        return .object(operation)
    }

    private static func parameter(_ parameter: QueryParameter, components: inout JSONObject) -> JSONValue {
        var value: JSONObject = [
            "name": .string(parameter.name), "in": "query", "required": .bool(parameter.isRequired),
            // An item without a value counts as not given.
            "allowEmptyValue": .bool(!parameter.isRequired),
            "schema": parameter.schema.openAPI(components: &components),
        ]
        if let note = parameter.note { value["description"] = .string(note) }
        return .object(value)
    }

    private static func response(_ response: RouteResponse, components: inout JSONObject) -> JSONValue {
        switch response {
        case .noContent: return ["description": .string(response.status.reason)]
        case .json(let status, let schema):
            return [
                "description": .string(status.reason),
                "content": ["application/json": ["schema": schema.openAPI(components: &components)]],
            ]
        case .bytes(let type):
            return ["description": .string(response.status.reason), "content": [type: ["schema": ["type": "string"]]]]
        case .events(let snapshot, let changes):
            let events: JSONValue = [
                "type": "object",
                "properties": [
                    "ready": ["type": "object"],
                    "snapshot": snapshot.openAPI(components: &components),
                    "changes": changes.openAPI(components: &components),
                    "closed": [
                        "type": "object", "required": ["reason"],
                        "properties": [
                            "reason": [
                                "type": "string", "enum": .array(ClosedReason.allCases.map { .string($0.rawValue) }),
                            ]
                        ],
                    ],
                ],
            ]
            return [
                "description": "Server-sent events; a property of the schema is the payload of the event of its name.",
                "content": ["text/event-stream": ["schema": events]],
            ]
        }
    }

    private static func errorsByStatus(_ route: Route) -> [(status: HTTPStatus, codes: [ErrorCode])] {
        let codes = route.allErrors
        return Set(codes.map(\.status)).sorted { $0.code < $1.code }.map { status in
            (status, codes.filter { $0.status == status })
        }
    }

    /// Such as `patch_v1_spaces_id_settings`.
    private static func operationId(_ route: Route) -> String {
        let path = route.template.segments.map { segment in
            switch segment {
            case .literal(let text), .parameter(let text):
                String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
            }
        }
        return ([route.method.rawValue.lowercased()] + path).joined(separator: "_")
    }
}
