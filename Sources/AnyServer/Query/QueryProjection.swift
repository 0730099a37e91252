/// Which fields of its records a query wants.
enum QueryProjection: Hashable, Sendable {
    /// All of them.
    case whole
    /// The id and these.
    case only([FieldPath])
    /// All but these; the id is always there.
    case without([FieldPath])

    /// Paths of one projection.
    static let maximumPaths = 64

    private static let field = "projection"

    /// Reads `["name", "push.encKeyId"]`, or `{"name": 1}`, or `{"push": 0}`.
    ///
    /// - Throws: `request.invalid_field`.
    init(_ value: JSONValue) throws(APIError) {
        switch value {
        case .array(let elements):
            var paths: [FieldPath] = []
            for element in elements {
                guard let text = element.string else { throw Self.wrong }
                paths.append(try FieldPath(text, in: Self.field))
            }
            try self.init(included: paths, excluded: [])
        case .object(let object):
            var included: [FieldPath] = []
            var excluded: [FieldPath] = []
            for entry in object.fields {
                let path = try FieldPath(entry.name, in: Self.field)
                switch entry.value {
                case 1, true: included.append(path)
                case 0, false: excluded.append(path)
                default: throw Self.wrong
                }
            }
            try self.init(included: included, excluded: excluded)
        case .null, .bool, .integer, .number, .string: throw Self.wrong
        }
    }

    private init(included: [FieldPath], excluded: [FieldPath]) throws(APIError) {
        guard included.count + excluded.count <= Self.maximumPaths else {
            throw APIError.query(Self.field, "has more than \(Self.maximumPaths) paths")
        }
        guard included.isEmpty || excluded.isEmpty else {
            throw APIError.query(Self.field, "says both what to take and what to leave out; it can say one")
        }
        self = included.isEmpty ? excluded.isEmpty ? .whole : .without(excluded) : .only(included)
    }

    private static var wrong: APIError {
        APIError.query(field, "must be an array of paths, or an object of paths with 1 or 0 each")
    }

    /// The part of a record that is wanted.
    func apply(to record: JSONObject) -> JSONObject {
        switch self {
        case .whole: return record
        case .only(let paths):
            let all = [["id"]] + paths.map(\.names)
            return Self.keep(all.map { $0[...] }, of: record)
        case .without(let paths):
            let others = paths.map(\.names).filter { $0 != ["id"] }
            return Self.drop(others.map { $0[...] }, from: record)
        }
    }

    private static func keep(_ paths: [ArraySlice<String>], of record: JSONObject) -> JSONObject {
        JSONObject(record.fields.compactMap { entry in
            let rests = paths.filter { $0.first == entry.name }.map { $0.dropFirst() }
            guard !rests.isEmpty else { return nil }
            if rests.contains(where: \.isEmpty) { return (entry.name, entry.value) }
            return inner(entry.value) { keep(rests, of: $0) }.map { (entry.name, $0) }
        })
    }

    private static func drop(_ paths: [ArraySlice<String>], from record: JSONObject) -> JSONObject {
        JSONObject(record.fields.compactMap { entry in
            let rests = paths.filter { $0.first == entry.name }.map { $0.dropFirst() }
            if rests.isEmpty { return (entry.name, entry.value) }
            if rests.contains(where: \.isEmpty) { return nil }
            return (entry.name, inner(entry.value, othersStay: true) { drop(rests, from: $0) } ?? entry.value)
        })
    }

    /// Changes the objects that a value is or holds; `nil` when it is neither an object nor an array.
    private static func inner(
        _ value: JSONValue, othersStay: Bool = false, _ change: (JSONObject) -> JSONObject
    ) -> JSONValue? {
        switch value {
        case .object(let object): .object(change(object))
        case .array(let elements):
            .array(elements.compactMap { $0.object.map { .object(change($0)) } ?? (othersStay ? .some($0) : .none) })
        case .null, .bool, .integer, .number, .string: nil
        }
    }
}
