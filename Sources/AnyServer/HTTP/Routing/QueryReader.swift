/// Reads a request's query for its route.
enum QueryReader {
    /// The values of the declared items. An item without a value counts as not given.
    ///
    /// - Throws: ``APIError`` `request.missing_field` or `request.invalid_field`; an item that stands twice is invalid.
    static func read(
        _ items: [(name: String, value: String)], for parameters: [QueryParameter]
    ) throws(APIError) -> [String: String] {
        var values: [String: String] = [:]
        for parameter in parameters {
            let given = items.filter { $0.name == parameter.name && !$0.value.isEmpty }
            guard given.count <= 1 else {
                throw APIError(
                    .invalidField, "\(parameter.name) stands more than once",
                    details: ["field": .string(parameter.name)])
            }
            let fields = JSONObject(given.map { ($0.name, parameter.value(of: $0.value)) })
            try Schema.openObject([parameter.field]).checkBody(.object(fields))
            values[parameter.name] = given.first?.value
        }
        return values
    }
}

extension QueryParameter {
    fileprivate var field: SchemaField {
        isRequired ? .required(name, schema, note) : .optional(name, schema, note)
    }

    /// An item's text as the kind of value that the parameter is.
    fileprivate func value(of text: String) -> JSONValue {
        switch schema.unnamed {
        case .integer: Int64(text).map(JSONValue.integer) ?? .string(text)
        case .number: Double(text).map(JSONValue.number) ?? .string(text)
        case .boolean: text == "true" ? true : text == "false" ? false : .string(text)
        default: .string(text)
        }
    }
}
