extension ErrorCode {
    /// A filter has an operator that there is not.
    static let filterUnknownOperator = ErrorCode("filter.unknown_operator", .badRequest)
    /// A filter makes no sense.
    static let filterInvalid = ErrorCode("filter.invalid", .badRequest)
}

extension [ErrorCode] {
    /// What reading a query may throw.
    static let querying: [ErrorCode] = [.filterUnknownOperator, .filterInvalid]
}

/// Reads a filter from a body, strictly and within bounds: what it does not know is an error, never ignored, for a
/// filter that lost a part would show what it should hide.
struct QueryFilterReader {
    /// What a filter can say beside values.
    static let operators =
        "$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $all, $exists, $type, $size, $regex, $and, $or, $nor, $not"
    /// Filters within one another.
    static let maximumDepth = 16
    /// Conditions in all.
    static let maximumConditions = 256
    /// Values of one `$in`.
    static let maximumValues = 256

    private var conditions = 0

    private init() {}

    /// The filter that an object says.
    ///
    /// - Throws: `filter.unknown_operator` or `filter.invalid`, with `details.path` and `details.operator`.
    static func read(_ object: JSONObject) throws(APIError) -> QueryFilter {
        var reader = QueryFilterReader()
        return try reader.filter(object, depth: 1)
    }

    private mutating func filter(_ object: JSONObject, depth: Int) throws(APIError) -> QueryFilter {
        try descend(depth)
        var parts: [QueryFilter] = []
        for entry in object.fields {
            switch entry.name {
            case "$and": parts.append(.all(try list(entry, depth: depth)))
            case "$or": parts.append(.any(try list(entry, depth: depth)))
            case "$nor": parts.append(.not(.any(try list(entry, depth: depth))))
            case "$not":
                guard let inner = entry.value.object else { throw wrong(entry.name, "a filter") }
                parts.append(.not(try filter(inner, depth: depth + 1)))
            case let name where name.hasPrefix("$"): throw Self.unknown(name)
            default: parts.append(try condition(entry.value, at: try Self.path(entry.name), depth: depth))
            }
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func list(_ entry: JSONObject.Field, depth: Int) throws(APIError) -> [QueryFilter] {
        guard let elements = entry.value.array, !elements.isEmpty else {
            throw wrong(entry.name, "an array of filters that is not empty")
        }
        var filters: [QueryFilter] = []
        for element in elements {
            guard let object = element.object else { throw wrong(entry.name, "an array of filters") }
            filters.append(try filter(object, depth: depth + 1))
        }
        return filters
    }

    /// What is said about one path: a value, or operators.
    private mutating func condition(
        _ value: JSONValue, at path: FieldPath, depth: Int
    ) throws(APIError) -> QueryFilter {
        try count()
        guard let object = value.object, !value.isDate, object.names.contains(where: { $0.hasPrefix("$") }) else {
            return .isOneOf(path, [try Self.literal(value, at: path)])
        }
        try descend(depth + 1)
        var parts: [QueryFilter] = []
        for entry in object.fields where entry.name != "$options" {
            parts.append(try operation(entry, of: object, at: path, depth: depth + 1))
        }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func operation(
        _ entry: JSONObject.Field, of object: JSONObject, at path: FieldPath, depth: Int
    ) throws(APIError) -> QueryFilter {
        try count()
        switch entry.name {
        case "$eq": return .isOneOf(path, [try Self.literal(entry.value, at: path)])
        case "$ne": return .not(.isOneOf(path, [try Self.literal(entry.value, at: path)]))
        case "$in": return .isOneOf(path, try values(entry, at: path))
        case "$nin": return .not(.isOneOf(path, try values(entry, at: path)))
        case "$all":
            let values = try values(entry, at: path)
            // All of nothing is what no record has.
            return values.isEmpty ? .any([]) : .all(values.map { .isOneOf(path, [$0]) })
        case "$exists":
            guard let isWanted = entry.value.bool else { throw wrong(entry.name, "true or false", at: path) }
            return isWanted ? .exists(path) : .not(.exists(path))
        case "$size":
            guard let count = entry.value.integer, count >= 0 else {
                throw wrong(entry.name, "a whole number of 0 or more", at: path)
            }
            return .hasCount(path, count)
        case "$type":
            guard let kind = entry.value.string.flatMap(QueryFilter.Kind.init) else {
                let names = QueryFilter.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw wrong(entry.name, "one of \(names)", at: path)
            }
            return .isKind(path, kind)
        case "$regex": return .hasPart(path, try pattern(entry, of: object, at: path))
        case "$not":
            guard let inner = entry.value.object, inner.names.allSatisfy({ $0.hasPrefix("$") }), !inner.isEmpty else {
                throw wrong(entry.name, "an object of operators when it stands below a path", at: path)
            }
            return .not(try condition(.object(inner), at: path, depth: depth + 1))
        default:
            guard let comparison = QueryFilter.Comparison(rawValue: entry.name) else {
                throw Self.unknown(entry.name, at: path)
            }
            guard entry.value.isScalar || entry.value.isDate else {
                throw wrong(entry.name, "a string, a number, a boolean or a $date", at: path)
            }
            return .compares(path, comparison, try Self.literal(entry.value, at: path))
        }
    }

    private func pattern(
        _ entry: JSONObject.Field, of object: JSONObject, at path: FieldPath
    ) throws(APIError) -> TextPattern {
        guard let text = entry.value.string else { throw wrong(entry.name, "a string", at: path) }
        let options = object["$options"] ?? ""
        guard options == "" || options == "i" else { throw wrong("$options", "i", at: path) }
        do throws(TextPattern.Failure) {
            return try TextPattern(text, ignoresCase: options == "i")
        } catch {
            throw wrong(entry.name, "a pattern that can be used: \(error.reason)", at: path)
        }
    }

    private func values(_ entry: JSONObject.Field, at path: FieldPath) throws(APIError) -> [JSONValue] {
        guard let values = entry.value.array, values.count <= Self.maximumValues else {
            throw wrong(entry.name, "an array of at most \(Self.maximumValues) values", at: path)
        }
        var literals: [JSONValue] = []
        for value in values { literals.append(try Self.literal(value, at: path)) }
        return literals
    }

    /// A value to compare with; a time in the form in which records have it.
    private static func literal(_ value: JSONValue, at path: FieldPath) throws(APIError) -> JSONValue {
        guard value.isDate else { return value }
        guard let time = value.object?.string(Timestamp.dateField).flatMap(Timestamp.milliseconds) else {
            throw error(
                .filterInvalid, "has a $date that is no time as RFC 3339 writes it", Timestamp.dateField, path)
        }
        return Timestamp.json(time)
    }

    private static func path(_ name: String) throws(APIError) -> FieldPath {
        do throws(APIError) { return try FieldPath(name, in: "filter") } catch {
            throw APIError(.filterInvalid, error.message, details: ["path": .string(String(name.prefix(64)))])
        }
    }

    // MARK: Bounds and errors

    private func descend(_ depth: Int) throws(APIError) {
        guard depth <= Self.maximumDepth else {
            throw APIError(.filterInvalid, "filter is nested deeper than \(Self.maximumDepth) levels")
        }
    }

    private mutating func count() throws(APIError) {
        conditions += 1
        guard conditions <= Self.maximumConditions else {
            throw APIError(.filterInvalid, "filter has more than \(Self.maximumConditions) conditions")
        }
    }

    private func wrong(_ name: String, _ expected: String, at path: FieldPath? = nil) -> APIError {
        Self.error(.filterInvalid, "has a \(name) that is not \(expected)", name, path)
    }

    private static func unknown(_ name: String, at path: FieldPath? = nil) -> APIError {
        // Enough of it to find it.
        let shown = String(name.unicodeScalars.prefix(32))
        guard name.hasPrefix("$") else {
            return error(.filterInvalid, "has a field \"\(shown)\" among operators", shown, path)
        }
        return error(
            .filterUnknownOperator, "has an unknown operator \"\(shown)\"; operators: \(operators)", shown, path)
    }

    private static func error(_ code: ErrorCode, _ problem: String, _ name: String, _ path: FieldPath?) -> APIError {
        var details: JSONObject = ["operator": .string(name)]
        details["path"] = path.map { .string($0.names.joined(separator: ".")) }
        return APIError(code, "filter \(problem)", details: details)
    }
}
