/// The shape of a JSON value. One description serves three ends: request bodies are checked against it, the OpenAPI
/// document is made of it, and tests hold what handlers return to it.
indirect enum Schema: Hashable, Sendable {
    /// Anything at all.
    case any
    /// Text of at most so many UTF-8 bytes; empty text counts as absent if `isEmptyAbsent`.
    case string(maxBytes: Int? = nil, isEmptyAbsent: Bool = false)
    /// The id of an object, which the text that some language prints for nothing is not.
    case objectId
    /// One of several texts; empty text counts as absent.
    case oneOf([String])
    /// A whole number between two others, both included.
    case integer(ClosedRange<Int>? = nil)
    case number
    case boolean
    /// Text, a number or a truth value.
    case scalar
    /// Elements of one shape, at most so many.
    case array(of: Schema, maxCount: Int? = nil)
    /// Named fields. Those not named are refused in requests if `isStrict`.
    case fields([SchemaField], isStrict: Bool)
    /// Any names, with values of one shape.
    case map(of: Schema)
    /// `null` or a shape. Elsewhere a `null` field counts as absent.
    case nullable(Schema)
    /// A shape with a name of its own in the OpenAPI document.
    case named(String, Schema)
    /// A shape for which nothing but this description stands in the document, such as an event stream.
    case text(String)

    /// An object with these fields and no others.
    static func object(_ fields: [SchemaField]) -> Schema { .fields(fields, isStrict: true) }
    /// An object with these fields and perhaps others.
    static func openObject(_ fields: [SchemaField]) -> Schema { .fields(fields, isStrict: false) }
    /// An object with whatever fields.
    static let anyObject = Schema.map(of: .any)

    /// Whether an object without fields is not of this shape.
    var hasRequiredField: Bool {
        if case .fields(let fields, _) = unnamed { fields.contains(where: \.isRequired) } else { false }
    }

    /// The shape without its name.
    var unnamed: Schema {
        if case .named(_, let schema) = self { schema.unnamed } else { self }
    }
}

/// One field of an object.
struct SchemaField: Hashable, Sendable {
    let name: String
    let schema: Schema
    let isRequired: Bool
    /// For the document, `nil` when the name says all.
    let note: String?
    /// Whether it is a form of ours from before, which is read for one more version.
    var isDeprecated = false

    static func required(_ name: String, _ schema: Schema, _ note: String? = nil) -> SchemaField {
        SchemaField(name: name, schema: schema, isRequired: true, note: note)
    }

    /// A form of ours from before: read and written for one more version, and marked in the document.
    static func deprecated(_ name: String, _ schema: Schema, insteadOf note: String) -> SchemaField {
        SchemaField(
            name: name, schema: schema, isRequired: false, note: "Deprecated: \(note) stands for it.",
            isDeprecated: true)
    }

    static func optional(_ name: String, _ schema: Schema, _ note: String? = nil) -> SchemaField {
        SchemaField(name: name, schema: schema, isRequired: false, note: note)
    }
}
