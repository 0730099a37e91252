import AnyServer

/// A request's body that is given as JSON, or field by field in options.
struct BodyFields {
    /// A field and the option that gives its text.
    typealias Field = (name: String, option: Command.Option)

    /// The body that a command line says.
    ///
    /// - Parameter fields: what options may give instead of JSON.
    /// - Returns: `nil` when it says none.
    static func read(_ values: Values, _ fields: [Field]) throws(CommandFailure) -> [UInt8]? {
        let given = fields.filter { values.option($0.option) != nil }
        if let word = values.optional(.body) {
            guard given.isEmpty else {
                throw CommandFailure("give either <body> or --\(given[0].option.name), not both")
            }
            return try JSONInput.read(word)
        }
        guard !given.isEmpty else { return nil }
        return JSONWriter.bytes(
            .object(JSONObject(given.map { ($0.name, JSONValue.string(values.option($0.option) ?? "")) })))
    }

    /// The body that a command line says.
    ///
    /// - Throws: when it says none.
    static func require(_ values: Values, _ fields: [Field]) throws(CommandFailure) -> [UInt8] {
        if let body = try read(values, fields) { return body }
        throw CommandFailure(
            "nothing to do: give \(fields.map { "--" + $0.option.name }.joined(separator: ", ")), or <body>")
    }
}
