/// Which records a query is about.
///
/// The language is that of document databases: `{"status": "active", "createdAt": {"$gt": {"$date": "2026-07-09T08:30:00Z"}}}`
/// means both; a field that is an array fits when one of its elements does, and `null` is the same as no field.
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
    /// The value at the path is an array of so many elements.
    case hasCount(FieldPath, Int)
    /// The value at the path, or an element of it, is of this kind.
    case isKind(FieldPath, Kind)
    /// The text at the path, or in an element of it, has a part that fits.
    case hasPart(FieldPath, TextPattern)

    enum Comparison: String, Hashable, Sendable {
        case less = "$lt"
        case lessOrEqual = "$lte"
        case greater = "$gt"
        case greaterOrEqual = "$gte"
    }

    /// A kind of value, by its names.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case null, bool, number, string, object, array, date

        func fits(_ value: JSONValue) -> Bool {
            switch value {
            case .null: self == .null
            case .bool: self == .bool
            case .integer, .number: self == .number
            case .string: self == .string
            case .array: self == .array
            case .object: self == (value.isDate ? .date : .object)
            }
        }
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
                JSONOrder.areComparable(value, bound) && value.isDate == bound.isDate
                    && comparison.holds(JSONOrder.compare(value, bound))
            }
        case .hasCount(let path, let count): path.values(in: record).contains { $0.array?.count == count }
        case .isKind(let path, let kind): Self.candidates(at: path, in: record).contains(where: kind.fits)
        case .hasPart(let path, let pattern):
            Self.candidates(at: path, in: record).contains { value in value.string.map(pattern.matches) ?? false }
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

extension JSONValue {
    /// Whether this is a time, `{"$date": …}`.
    var isDate: Bool {
        guard let object else { return false }
        return object.count == 1 && object[Timestamp.dateField] != nil
    }
}
