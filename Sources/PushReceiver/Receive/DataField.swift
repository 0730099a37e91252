/// The names of the data map's entries that a receiver reads (protocol.md §4, "What a device gets").
///
/// The node's default texts, `x-any-title` and `x-any-body`, are not among them: they are the node's words, under nobody's
/// signature.
enum DataField: String, Hashable, Sendable {
    case type = "x-any-type"
    case groupId = "x-any-group-id"
    case payload = "x-any-payload"
    case signature = "x-any-signature"
    case keyId = "x-any-key-id"
}

extension [String: String] {
    subscript(field: DataField) -> String? { self[field.rawValue] }
}
