/// A question about a list of records, as `POST /v1/spaces/query` and its like ask it (any-api.md, "HTTP").
struct RecordQuery: Hashable, Sendable {
    var filter = QueryFilter.everything
    var sort: QuerySort
    /// The most records, `nil` for all.
    var limit: Int?
    /// How many records of the result come before the first.
    var offset = 0
    /// Whether the answer says how many records fit, and whether more follow.
    var includesTotal = false
    var projection = QueryProjection.whole

    /// The most records of one answer.
    static let limits = 0...10_000
    static let offsets = 0...1_000_000

    /// The fields with which a body asks.
    static let fields: [SchemaField] = [
        .optional(
            "filter", .anyObject,
            "Which records: values by path, or operators: \(QueryFilterReader.operators)."
        ),
        .optional(
            "sort", .array(of: .string(isEmptyAbsent: true), maxCount: QuerySort.maximumKeys),
            "Paths in the order of their weight; a minus in front of one turns it around."),
        .optional("limit", .integer(limits), "0, and nothing, for all."),
        .optional("offset", .integer(offsets)),
        .optional("includeTotal", .boolean),
        .optional(
            "projection", .any,
            "An object of paths with 1 (take) or 0 (leave out) each, of which the deepest decides; or an array of paths."
        ),
    ]

    /// What a body that asks once may say besides.
    static let snapshotFields: [SchemaField] = [
        .optional(
            "includeDeleted", .boolean,
            "Whether what is left of deleted records is given too: their ids, with `deleted`.")
    ]

    /// A question for everything.
    init(sort: QuerySort) {
        self.sort = sort
    }

    /// Takes the question from a body that ``fields`` have let through.
    ///
    /// - Parameters:
    ///   - standardSort: The order when none is asked for.
    ///   - isLive: Whether the answer is followed: the window of one with a limit is told by an order that was asked for.
    /// - Throws: `request.invalid_field`, `request.missing_field`, `filter.unknown_operator` or `filter.invalid`.
    init(_ body: JSONObject, standardSort: QuerySort, isLive: Bool = false) throws(APIError) {
        let sort = try QuerySort(body.array("sort")?.compactMap(\.string) ?? [])
        self.init(sort: sort.isEmpty ? standardSort : sort)
        if let object = body.object("filter") { filter = try QueryFilterReader.read(object) }
        limit = body.integer("limit").flatMap { $0 > 0 ? $0 : nil }
        guard !isLive || limit == nil || !sort.isEmpty else {
            throw APIError(.missingField, "sort required when there is a limit", details: ["field": "sort"])
        }
        offset = body.integer("offset") ?? 0
        includesTotal = body.bool("includeTotal") ?? false
        if let value = body["projection"], value != .null { projection = try QueryProjection(value) }
    }

    /// The records that fit, whole and in order.
    func matches(in records: [JSONObject]) -> [JSONObject] {
        sort.sorted(records.filter(filter.matches))
    }

    /// The answer.
    func result(of records: [JSONObject]) -> QueryResult {
        window(of: matches(in: records))
    }

    /// The part of the records that fit that was asked for.
    func window(of matches: [JSONObject]) -> QueryResult {
        let start = min(offset, matches.count)
        let end = limit.map { min(start + $0, matches.count) } ?? matches.count
        return QueryResult(
            records: matches[start..<end].map(projection.apply(to:)), total: includesTotal ? matches.count : nil,
            hasNext: includesTotal ? end < matches.count : nil)
    }
}

/// The answer to a query.
struct QueryResult: Sendable {
    var records: [JSONObject]
    /// How many records fit, `nil` unless it was asked for.
    var total: Int?
    /// Whether more records follow, `nil` unless the number was asked for.
    var hasNext: Bool?

    /// `{records, total?, hasNext?}`.
    var json: JSONValue {
        var object: JSONObject = ["records": .array(records.map { .object($0) })]
        if let total { object["total"] = .integer(Int64(total)) }
        if let hasNext { object["hasNext"] = .bool(hasNext) }
        return .object(object)
    }
}
