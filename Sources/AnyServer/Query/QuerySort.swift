/// The order of a query's records.
struct QuerySort: Hashable, Sendable {
    /// Orders beyond the first that tells two records apart do nothing, so few are ever used.
    static let maximumKeys = 16

    private struct Key: Hashable, Sendable {
        let path: FieldPath
        let isDescending: Bool
    }

    private let keys: [Key]

    /// Reads `["-createdAt", "name"]`.
    ///
    /// - Throws: `request.invalid_field` for text that is no path.
    init(_ texts: [String]) throws(APIError) {
        var keys: [Key] = []
        for text in texts {
            let isDescending = text.hasPrefix("-")
            let path = try FieldPath(isDescending ? String(text.dropFirst()) : text, in: "sort")
            keys.append(Key(path: path, isDescending: isDescending))
        }
        self.keys = keys
    }

    /// One path.
    init(_ names: String..., descending isDescending: Bool = false) {
        keys = [Key(path: FieldPath(names: names), isDescending: isDescending)]
    }

    /// Whether nothing was asked for.
    var isEmpty: Bool { keys.isEmpty }

    /// Sorts records; those that the keys do not tell apart go by their ids.
    func sorted(_ records: [JSONObject]) -> [JSONObject] {
        // The values once for each record, not for each comparison.
        let ranked = records.map { record in (record: record, values: values(of: record)) }
        return ranked.sorted { precedes($0.values, $1.values) }.map(\.record)
    }

    private func values(of record: JSONObject) -> [JSONValue] {
        var values = keys.map { key in
            // Of several values the one that puts the record furthest to the front.
            let all = key.path.values(in: record)
            return all.dropFirst().reduce(all.first ?? .null) { best, value in
                (JSONOrder.compare(value, best) < 0) != key.isDescending ? value : best
            }
        }
        values.append(record["id"] ?? .null)
        return values
    }

    private func precedes(_ left: [JSONValue], _ right: [JSONValue]) -> Bool {
        for (position, pair) in zip(left, right).enumerated() {
            let order = JSONOrder.compare(pair.0, pair.1)
            guard order != 0 else { continue }
            let isDescending = position < keys.count && keys[position].isDescending
            return (order < 0) != isDescending
        }
        return false
    }
}
