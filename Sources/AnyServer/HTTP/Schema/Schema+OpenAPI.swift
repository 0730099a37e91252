extension Schema {
    /// The shape as a JSON Schema of OpenAPI 3.1. Named shapes become references and are collected in `components`.
    ///
    /// - Parameter isRequest: Whether it is a request's body, where an optional field that is `null`, or empty where
    ///   empty is absent, is as good as none. A named shape with optional fields is either of requests or of responses.
    func openAPI(components: inout JSONObject, isRequest: Bool = false) -> JSONValue {
        switch self {
        case .any: return [:]
        case .string(let maxBytes, let isEmptyAbsent):
            var schema: JSONObject = ["type": "string"]
            if isEmptyAbsent { schema["minLength"] = 1 }
            if let maxBytes { schema["description"] = "At most \(maxBytes) bytes of UTF-8." }
            return .object(schema)
        case .objectId: return ["type": "string", "minLength": 1]
        case .oneOf(let values): return ["type": "string", "enum": .array(values.map { .string($0) })]
        case .integer(let range):
            var schema: JSONObject = ["type": "integer"]
            if let range {
                schema["minimum"] = .integer(Int64(range.lowerBound))
                schema["maximum"] = .integer(Int64(range.upperBound))
            }
            return .object(schema)
        case .number: return ["type": "number"]
        case .boolean: return ["type": "boolean"]
        case .scalar: return ["type": ["string", "number", "boolean"]]
        case .array(let element, let maxCount):
            let items = element.openAPI(components: &components, isRequest: isRequest)
            var schema: JSONObject = ["type": "array", "items": items]
            if let maxCount { schema["maxItems"] = .integer(Int64(maxCount)) }
            return .object(schema)
        case .fields(let fields, let isStrict):
            return Self.object(fields, isStrict: isStrict, components: &components, isRequest: isRequest)
        case .map(let element):
            let element = element.openAPI(components: &components, isRequest: isRequest)
            return ["type": "object", "additionalProperties": element]
        case .nullable(let schema):
            return ["anyOf": [schema.openAPI(components: &components, isRequest: isRequest), ["type": "null"]]]
        case .named(let name, let schema):
            if components[name] == nil {
                // Taken before the shape is written, so that a shape may be part of itself.
                components[name] = [:]
                components[name] = schema.openAPI(components: &components, isRequest: isRequest)
            }
            return ["$ref": .string("#/components/schemas/\(name)")]
        case .text(let description): return ["type": "string", "description": .string(description)]
        }
    }

    private static func object(
        _ fields: [SchemaField], isStrict: Bool, components: inout JSONObject, isRequest: Bool
    ) -> JSONValue {
        var properties = JSONObject()
        for field in fields {
            var property = field.schema.openAPI(components: &components, isRequest: isRequest)
            if isRequest, !field.isRequired { property = field.schema.allowingAbsence(in: property) }
            if let note = field.note, case .object(var object) = property {
                let own = object.string("description").map { " \($0)" } ?? ""
                object["description"] = .string(note + own)
                property = .object(object)
            }
            if field.isDeprecated, case .object(var object) = property {
                object["deprecated"] = true
                property = .object(object)
            }
            properties[field.name] = property
        }
        var schema: JSONObject = ["type": "object", "properties": .object(properties)]
        let required = fields.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        if isStrict { schema["additionalProperties"] = false }
        return .object(schema)
    }

    /// The same with what counts as absent.
    private func allowingAbsence(in property: JSONValue) -> JSONValue {
        var absent: [JSONValue] = [nil]
        switch unnamed {
        case .any, .nullable: return property
        case .oneOf, .objectId, .string(_, isEmptyAbsent: true): absent.append("")
        default: break
        }
        return ["anyOf": [property, ["enum": .array(absent)]]]
    }
}
