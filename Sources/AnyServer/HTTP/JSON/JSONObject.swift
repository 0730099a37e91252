/// A JSON object whose fields keep the order in which they came or were set, which is the order they are written in.
///
/// Small objects are searched from front to back; those with more fields than ``searchLimit`` have an index, so that a
/// large body costs no quadratic work.
package struct JSONObject: Sendable {
    /// One field.
    package struct Field: Hashable, Sendable {
        package var name: String
        package var value: JSONValue
    }

    /// The fields in order, every name once.
    package private(set) var fields: [Field]
    private var index: [String: Int] = [:]

    private static let searchLimit = 16

    /// An object without fields.
    package init() {
        fields = []
    }

    /// An object of fields; of those with the same name the last one counts.
    package init(_ fields: some Sequence<(String, JSONValue)>) {
        self.fields = []
        for (name, value) in fields { self[name] = value }
    }

    package var isEmpty: Bool { fields.isEmpty }
    package var count: Int { fields.count }
    package var names: [String] { fields.map(\.name) }

    /// The value of a field, `nil` when there is none. Setting `nil` removes the field.
    package subscript(name: String) -> JSONValue? {
        get { position(of: name).map { fields[$0].value } }
        set {
            switch (position(of: name), newValue) {
            case (let position?, let value?): fields[position].value = value
            case (let position?, nil): remove(at: position)
            case (nil, let value?): append(name, value)
            case (nil, nil): break
            }
        }
    }

    /// A field's text, `nil` when the field is absent or no string.
    package func string(_ name: String) -> String? { self[name]?.string }
    /// A field's whole number, `nil` when the field is absent or no such number.
    package func integer(_ name: String) -> Int? { self[name]?.integer }
    /// A field's truth value, `nil` when the field is absent or none.
    package func bool(_ name: String) -> Bool? { self[name]?.bool }
    /// A field's elements, `nil` when the field is absent or no array.
    package func array(_ name: String) -> [JSONValue]? { self[name]?.array }
    /// A field's object, `nil` when the field is absent or none.
    package func object(_ name: String) -> JSONObject? { self[name]?.object }

    private func position(of name: String) -> Int? {
        if fields.count <= Self.searchLimit { return fields.firstIndex { $0.name == name } }
        return index[name]
    }

    private mutating func append(_ name: String, _ value: JSONValue) {
        fields.append(Field(name: name, value: value))
        if fields.count == Self.searchLimit + 1 {
            reindex()
        } else if fields.count > Self.searchLimit {
            index[name] = fields.count - 1
        }
    }

    private mutating func remove(at position: Int) {
        fields.remove(at: position)
        if fields.count > Self.searchLimit { reindex() } else { index = [:] }
    }

    private mutating func reindex() {
        index = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
    }
}

extension JSONObject: Hashable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool { left.fields == right.fields }
    package func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
