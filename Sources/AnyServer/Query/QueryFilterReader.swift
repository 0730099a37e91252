/// Reads a filter from a body, strictly and within bounds: what it does not know is an error, never ignored, for a
/// filter that lost a part would show what it should hide.
struct QueryFilterReader {
    /// What a filter can say beside values.
    static let operators = "$eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $and, $or, $not"
    /// Filters within one another.
    static let maximumDepth = 16
    /// Conditions in all.
    static let maximumConditions = 256
    /// Values of one `$in`.
    static let maximumValues = 256

    private static let field = "filter"
    private var conditions = 0

    private init() {}

    /// The filter that an object says.
    ///
    /// - Throws: `request.invalid_field`.
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
            case "$not":
                guard let inner = entry.value.object else { throw wrong("$not", "a filter") }
                parts.append(.not(try filter(inner, depth: depth + 1)))
            case let name where name.hasPrefix("$"): throw Self.unknown(name)
            default:
                parts.append(try condition(entry.value, at: FieldPath(entry.name, in: Self.field), depth: depth))
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
        guard let object = value.object, object.names.contains(where: { $0.hasPrefix("$") }) else {
            return .isOneOf(path, [value])
        }
        try descend(depth + 1)
        var parts: [QueryFilter] = []
        for entry in object.fields { parts.append(try operation(entry, at: path, depth: depth + 1)) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func operation(
        _ entry: JSONObject.Field, at path: FieldPath, depth: Int
    ) throws(APIError) -> QueryFilter {
        try count()
        switch entry.name {
        case "$eq": return .isOneOf(path, [entry.value])
        case "$ne": return .not(.isOneOf(path, [entry.value]))
        case "$in": return .isOneOf(path, try values(entry))
        case "$nin": return .not(.isOneOf(path, try values(entry)))
        case "$exists":
            guard let isWanted = entry.value.bool else { throw wrong(entry.name, "true or false") }
            return isWanted ? .exists(path) : .not(.exists(path))
        case "$not":
            guard let inner = entry.value.object, inner.names.allSatisfy({ $0.hasPrefix("$") }), !inner.isEmpty else {
                throw wrong(entry.name, "an object of operators when it stands below a path")
            }
            return .not(try condition(.object(inner), at: path, depth: depth + 1))
        default:
            guard let comparison = QueryFilter.Comparison(rawValue: entry.name) else { throw Self.unknown(entry.name) }
            guard entry.value.isScalar else { throw wrong(entry.name, "a string, a number or a boolean") }
            return .compares(path, comparison, entry.value)
        }
    }

    private func values(_ entry: JSONObject.Field) throws(APIError) -> [JSONValue] {
        guard let values = entry.value.array, values.count <= Self.maximumValues else {
            throw wrong(entry.name, "an array of at most \(Self.maximumValues) values")
        }
        return values
    }

    // MARK: Bounds and errors

    private func descend(_ depth: Int) throws(APIError) {
        guard depth <= Self.maximumDepth else {
            throw APIError.query(Self.field, "is nested deeper than \(Self.maximumDepth) levels")
        }
    }

    private mutating func count() throws(APIError) {
        conditions += 1
        guard conditions <= Self.maximumConditions else {
            throw APIError.query(Self.field, "has more than \(Self.maximumConditions) conditions")
        }
    }

    private func wrong(_ name: String, _ expected: String) -> APIError {
        APIError.query(Self.field, "has a \(name) that is not \(expected)")
    }

    private static func unknown(_ name: String) -> APIError {
        // Enough of it to find it.
        let shown = String(name.unicodeScalars.prefix(32))
        let problem = name.hasPrefix("$") ? "an unknown operator \"\(shown)\"" : "a field \"\(shown)\" among operators"
        return APIError.query(field, "has \(problem); operators: \(operators)")
    }
}
