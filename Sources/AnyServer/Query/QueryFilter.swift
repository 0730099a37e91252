/// Which records a query is about.
///
/// The language is that of document databases: `{"status": "active", "createdAt": {"$gt": "2026"}}` means both; a field
/// that is an array fits when one of its elements does, and `null` is the same as no field.
indirect enum QueryFilter: Hashable, Sendable {
    /// Every one fits, all when there are none.
    case all([QueryFilter])
    /// One or more fit.
    case any([QueryFilter])
    /// This one does not fit.
    case not(QueryFilter)
    /// The value at the path, or an element of it, is one of these.
    case isOneOf(FieldPath, [JSONValue])
    /// The value at the path, or an element of it, stands so to another of its kind.
    case compares(FieldPath, Comparison, JSONValue)
    /// There is something at the path, `null` included.
    case exists(FieldPath)

    enum Comparison: String, Hashable, Sendable {
        case less = "$lt"
        case lessOrEqual = "$lte"
        case greater = "$gt"
        case greaterOrEqual = "$gte"
    }

    /// The filter that lets everything through.
    static let everything = QueryFilter.all([])

    /// Whether a record fits.
    func matches(_ record: JSONObject) -> Bool {
        switch self {
        case .all(let filters): filters.allSatisfy { $0.matches(record) }
        case .any(let filters): filters.contains { $0.matches(record) }
        case .not(let filter): !filter.matches(record)
        case .exists(let path): !path.values(in: record).isEmpty
        case .isOneOf(let path, let wanted):
            Self.candidates(at: path, in: record).contains { value in
                wanted.contains { JSONOrder.areSame($0, value) }
            }
        case .compares(let path, let comparison, let bound):
            Self.candidates(at: path, in: record).contains { value in
                JSONOrder.areComparable(value, bound) && comparison.holds(JSONOrder.compare(value, bound))
            }
        }
    }

    /// What is compared: the values and, of arrays, their elements too; `null` in place of nothing.
    private static func candidates(at path: FieldPath, in record: JSONObject) -> [JSONValue] {
        let values = path.values(in: record)
        guard !values.isEmpty else { return [.null] }
        return values.flatMap { value in [value] + (value.array ?? []) }
    }
}

extension QueryFilter.Comparison {
    fileprivate func holds(_ order: Int) -> Bool {
        switch self {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}
