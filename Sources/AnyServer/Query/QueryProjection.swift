/// Which fields of its records a query wants.
///
/// Paths are taken or left out, in any mixture; of several that concern a value the deepest decides. When none is taken,
/// everything is that is not left out. The id is always there.
struct QueryProjection: Hashable, Sendable {
    /// All fields.
    static let whole = QueryProjection(root: Node())

    /// Paths of one projection.
    static let maximumPaths = 128

    private static let field = "projection"
    private static let idName = "id"

    private struct Node: Hashable {
        /// Whether what is here is taken, unless something below says otherwise; `nil` for as above.
        var isTaken: Bool?
        var below: [String: Node] = [:]
    }

    private var root: Node

    /// Reads `{"name": 1, "push": 0, "push.encKeyId": true}`, or `["name", "push.encKeyId"]`.
    ///
    /// - Throws: `request.invalid_field`.
    init(_ value: JSONValue) throws(APIError) {
        var paths: [(path: FieldPath, isTaken: Bool)] = []
        switch value {
        case .array(let elements):
            for element in elements {
                guard let text = element.string else { throw Self.wrong }
                paths.append((try FieldPath(text, in: Self.field), true))
            }
        case .object(let object):
            for entry in object.fields {
                let path = try FieldPath(entry.name, in: Self.field)
                switch entry.value {
                case 1, true: paths.append((path, true))
                case 0, -1, false:
                    guard path.names != [Self.idName] else {
                        throw APIError.query(Self.field, "can not leave out the id, which is always there")
                    }
                    paths.append((path, false))
                default: throw Self.wrong
                }
            }
        case .null, .bool, .integer, .number, .string: throw Self.wrong
        }
        guard paths.count <= Self.maximumPaths else {
            throw APIError.query(Self.field, "has more than \(Self.maximumPaths) paths")
        }
        var root = Node(isTaken: !paths.contains(where: \.isTaken))
        for (path, isTaken) in paths { Self.put(isTaken, at: path.names[...], in: &root) }
        if !paths.isEmpty { root.below[Self.idName] = Node(isTaken: true) }
        self.root = root
    }

    private init(root: Node) {
        self.root = root
    }

    private static func put(_ isTaken: Bool, at path: ArraySlice<String>, in node: inout Node) {
        guard let name = path.first else { return node.isTaken = isTaken }
        put(isTaken, at: path.dropFirst(), in: &node.below[name, default: Node()])
    }

    private static var wrong: APIError {
        APIError.query(field, "must be an object of paths with 1 (take) or 0 (leave out) each, or an array of paths")
    }

    /// The part of a record that is wanted.
    func apply(to record: JSONObject) -> JSONObject {
        guard !root.below.isEmpty else { return record }
        return Self.part(of: record, by: root, isTaken: root.isTaken ?? true)
    }

    private static func part(of object: JSONObject, by node: Node, isTaken: Bool) -> JSONObject {
        JSONObject(
            object.fields.compactMap { entry in
                guard let below = node.below[entry.name] else { return isTaken ? (entry.name, entry.value) : nil }
                return part(of: entry.value, by: below, isTaken: below.isTaken ?? isTaken).map { (entry.name, $0) }
            })
    }

    /// - Returns: `nil` for nothing.
    private static func part(of value: JSONValue, by node: Node, isTaken: Bool) -> JSONValue? {
        // Spelled out: JSONValue has a nil of its own.
        guard !node.below.isEmpty else { return isTaken ? .some(value) : .none }
        switch value {
        case .object(let object):
            let part = part(of: object, by: node, isTaken: isTaken)
            return part.isEmpty && node.isTaken == false ? .none : .some(.object(part))
        case .array(let elements):
            return .array(elements.compactMap { Self.part(of: $0, by: node, isTaken: isTaken) })
        case .null, .bool, .integer, .number, .string: return isTaken ? .some(value) : .none
        }
    }
}
