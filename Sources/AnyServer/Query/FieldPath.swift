/// Where a value stands in a record: names from the outside in, written with dots, such as `_ver.id`.
struct FieldPath: Hashable, Sendable {
    /// Far more than any record is deep.
    private static let maximumNames = 16
    private static let maximumBytes = 256

    let names: [String]

    init(names: [String]) {
        self.names = names
    }

    /// Reads a dotted path.
    ///
    /// - Parameters:
    ///   - text: What the client wrote.
    ///   - field: The field of the body that it stands in, for the error.
    /// - Throws: `request.invalid_field` for an empty name, and for more or longer names than any record has.
    init(_ text: String, in field: String) throws(APIError) {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= Self.maximumBytes, names.count <= Self.maximumNames, !names.contains("") else {
            throw APIError.query(field, "has a path that is none; a path is names with dots between them")
        }
        guard !names.contains(where: { $0.hasPrefix("$") }) else {
            throw APIError.query(field, "has a $ at the front of a name, where only operators have one")
        }
        self.names = names
    }

    /// The values at the path: none when there is no such field, several when arrays of objects are on the way.
    func values(in record: JSONObject) -> [JSONValue] {
        var found: [JSONValue] = []
        collect(.object(record), names[...], into: &found)
        return found
    }

    private func collect(_ value: JSONValue, _ rest: ArraySlice<String>, into found: inout [JSONValue]) {
        guard let name = rest.first else { return found.append(value) }
        switch value {
        case .object(let object):
            if let next = object[name] { collect(next, rest.dropFirst(), into: &found) }
        case .array(let elements):
            for case .object(let element) in elements { collect(.object(element), rest, into: &found) }
        case .null, .bool, .integer, .number, .string: break
        }
    }
}

extension APIError {
    /// What is wrong with a part of a query.
    static func query(_ field: String, _ problem: String) -> APIError {
        APIError(.invalidField, "\(field) \(problem)", details: ["field": .string(field)])
    }
}
