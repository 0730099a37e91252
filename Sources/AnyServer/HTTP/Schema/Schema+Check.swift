extension Schema {
    /// Checks a value: fields that are not known, wherever they are, then field by field in the order of declaration what
    /// is absent or not allowed.
    ///
    /// - Parameter isRequest: Whether it is a request's body, whose values of another kind than belongs there are no JSON to
    ///   the contract's server: it does not get past reading them.
    /// - Throws: The ``APIError`` for the client.
    func checkBody(_ value: JSONValue, isRequest: Bool = false) throws(APIError) {
        try checkUnknown(value, at: "")
        if isRequest { try checkKinds(value, at: "") }
        try checkValues(value, at: "")
    }

    // MARK: Kinds

    /// Checks that each value is of the kind of JSON that belongs there; `null` is as good as nothing.
    private func checkKinds(_ value: JSONValue, at path: String) throws(APIError) {
        switch (unnamed, value) {
        case (.any, _), (.text, _), (.nullable, .null), (.string, .string), (.objectId, .string), (.oneOf, .string),
            (.number, .integer), (.number, .number), (.boolean, .bool), (.integer, .integer):
            return
        case (.integer, .number) where value.integer != nil: return
        case (.scalar, _) where value.isScalar: return
        case (.array(let element, _), .array(let values)):
            for (position, value) in values.enumerated() {
                try element.checkKinds(value, at: "\(path)[\(position)]")
            }
        case (.fields(let fields, _), .object(let object)):
            for field in fields {
                guard let value = object[field.name], value != .null else { continue }
                try field.schema.checkKinds(value, at: Self.join(path, field.name))
            }
        case (.map(let element), .object(let object)):
            for field in object.fields { try element.checkKinds(field.value, at: Self.join(path, field.name)) }
        case (.nullable(let schema), _): try schema.checkKinds(value, at: path)
        default:
            let place = path.isEmpty ? "the body" : Self.clipped(path)
            var details: JSONObject = ["field": .string(place)]
            // What was given in the place of one of several texts, as for a text that is none of them.
            if case .oneOf = unnamed { details[Self.lastName(path)] = value.isScalar ? value : .string(value.kind) }
            throw APIError(
                .badJSON, "\(place) must be \(expectation), got \(value.kind)",
                details: path.isEmpty ? nil : details)
        }
    }

    // MARK: Unknown fields

    private func checkUnknown(_ value: JSONValue, at path: String) throws(APIError) {
        switch (unnamed, value) {
        case (.fields(let fields, let isStrict), .object(let object)):
            if isStrict { try Self.refuseUnknown(object, fields: fields, at: path) }
            for field in fields {
                guard let value = object[field.name] else { continue }
                try field.schema.checkUnknown(value, at: Self.join(path, field.name))
            }
        case (.array(let element, _), .array(let values)):
            for (position, value) in values.enumerated() {
                try element.checkUnknown(value, at: "\(path)[\(position)]")
            }
        case (.map(let element), .object(let object)):
            for field in object.fields { try element.checkUnknown(field.value, at: Self.join(path, field.name)) }
        case (.nullable(let schema), _): try schema.checkUnknown(value, at: path)
        default: break
        }
    }

    private static func refuseUnknown(_ object: JSONObject, fields: [SchemaField], at path: String) throws(APIError) {
        let accepted = fields.map(\.name)
        let unknown = object.names.filter { !accepted.contains($0) }
        guard !unknown.isEmpty else { return }
        // The sender knows what it sent: enough of it comes back to find the fault, and no more.
        let shown = unknown.prefix(shownFields).map { clipped(join(path, $0)) }
        let names = shown.map { "\"\($0)\"" }.joined(separator: ", ")
        let noun = unknown.count == 1 ? "field" : "fields"
        throw APIError(
            .unknownField, "unknown \(noun) \(names); accepted fields: \(accepted.joined(separator: ", "))",
            details: [
                "fields": .array(shown.map { .string($0) }), "accepted": .array(accepted.map { .string($0) }),
            ])
    }

    // MARK: Absent and wrong values

    fileprivate func checkValues(_ value: JSONValue, at path: String) throws(APIError) {
        switch (unnamed, value) {
        case (.any, _), (.text, _): return
        case (.string(let maxBytes, _), .string(let text)):
            guard let maxBytes, text.utf8.count > maxBytes else { return }
            throw Self.invalid(path, "must be at most \(maxBytes) bytes, got \(text.utf8.count)")
        case (.objectId, .string(let text)):
            guard !ObjectIdText.isNil(text) else { throw ObjectIdText.required(path) }
        case (.oneOf(let values), .string(let text)):
            guard !values.contains(text) else { return }
            let given: JSONObject = ["field": .string(path), Self.lastName(path): .string(Self.clipped(text))]
            throw Self.invalid(path, "must be \(expectation)", details: given)
        case (.integer(let range), .integer), (.integer(let range), .number):
            guard let number = value.integer else { throw Self.invalid(path, "must be a whole number") }
            guard let range, !range.contains(number) else { return }
            throw Self.invalid(path, "must be between \(range.lowerBound) and \(range.upperBound), got \(number)")
        case (.number, .integer), (.number, .number), (.boolean, .bool): return
        case (.scalar, _) where value.isScalar: return
        case (.array(let element, let maxCount), .array(let values)):
            if let maxCount, values.count > maxCount {
                throw Self.invalid(path, "must have at most \(maxCount) elements, got \(values.count)")
            }
            for (position, value) in values.enumerated() {
                try element.checkValues(value, at: "\(path)[\(position)]")
            }
        case (.fields(let fields, _), .object(let object)):
            for field in fields { try field.check(in: object, at: Self.join(path, field.name)) }
        case (.map(let element), .object(let object)):
            for field in object.fields { try element.checkValues(field.value, at: Self.join(path, field.name)) }
        case (.nullable, .null): return
        case (.nullable(let schema), _): try schema.checkValues(value, at: path)
        default: throw Self.invalid(path, "must be \(expectation), got \(value.kind)")
        }
    }

    private static func invalid(_ path: String, _ problem: String, details: JSONObject? = nil) -> APIError {
        let path = clipped(path)
        return APIError(.invalidField, "\(path) \(problem)", details: details ?? ["field": .string(path)])
    }

    // MARK: Words

    /// What is expected, for messages.
    var expectation: String {
        switch self {
        case .any, .text: "anything"
        case .string, .objectId: "a string"
        case .oneOf(let values): values.joined(separator: " or ")
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .scalar: "a string, a number or a boolean"
        case .array: "an array"
        case .fields, .map: "a JSON object"
        case .nullable(let schema): "\(schema.expectation) or null"
        case .named(_, let schema): schema.expectation
        }
    }

    private static let shownFields = 8
    private static let shownBytes = 64

    private static func join(_ path: String, _ name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    private static func lastName(_ path: String) -> String {
        path.split(separator: ".").last.map(String.init) ?? path
    }

    private static func clipped(_ text: String) -> String {
        text.utf8.count <= shownBytes ? text : String(text.unicodeScalars.prefix(shownBytes / 4)) + "…"
    }
}

extension SchemaField {
    /// Checks the field of an object: that it is there if it has to be, then its value.
    fileprivate func check(in object: JSONObject, at path: String) throws(APIError) {
        let value = object[name] ?? .null
        let isAbsent = value == .null || (value == "" && isEmptyAbsent)
        if case .nullable = schema.unnamed, object[name] != nil { return try schema.checkValues(value, at: path) }
        guard !isAbsent else {
            guard isRequired else { return }
            throw APIError(.missingField, "\(path) required", details: ["field": .string(path)])
        }
        try schema.checkValues(value, at: path)
    }

    private var isEmptyAbsent: Bool {
        switch schema.unnamed {
        case .string(_, let isEmptyAbsent): isEmptyAbsent
        case .oneOf, .objectId: true
        default: false
        }
    }
}

extension JSONValue {
    /// The kind of value, for messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
