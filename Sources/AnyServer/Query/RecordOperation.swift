/// One step from a record's earlier state to its present one (any-api.md, "SSE": `{type, path, payload}`).
enum RecordOperation: Hashable, Sendable {
    /// The value at a path is this one now; objects on the way are made.
    case set([String], JSONValue)
    /// There is nothing at a path any more.
    case unset([String])

    /// The steps that make one record of another. Objects are compared field by field, arrays as wholes.
    static func difference(from old: JSONObject, to new: JSONObject) -> [RecordOperation] {
        var operations: [RecordOperation] = []
        compare(old, new, at: [], into: &operations)
        return operations
    }

    /// The steps that make a record of nothing.
    static func building(_ record: JSONObject) -> [RecordOperation] {
        record.fields.map { .set([$0.name], $0.value) }
    }

    private static func compare(
        _ old: JSONObject, _ new: JSONObject, at path: [String], into operations: inout [RecordOperation]
    ) {
        for field in old.fields where new[field.name] == nil { operations.append(.unset(path + [field.name])) }
        for field in new.fields {
            let here = path + [field.name]
            switch (old[field.name], field.value) {
            case (.object(let before)?, .object(let after)): compare(before, after, at: here, into: &operations)
            case (let before?, let after) where JSONOrder.areSame(before, after): break
            case (_, let after): operations.append(.set(here, after))
            }
        }
    }

    /// `{type, path, payload?}`.
    var json: JSONValue {
        switch self {
        case .set(let path, let value): ["type": "$set", "path": Self.json(path), "payload": value]
        case .unset(let path): ["type": "$unset", "path": Self.json(path)]
        }
    }

    private static func json(_ path: [String]) -> JSONValue {
        .array(path.map { .string($0) })
    }
}
