/// Reads a request's body for its route.
enum BodyReader {
    /// The fields of the body, none when the route reads no body.
    ///
    /// - Throws: ``APIError`` in the contract's order: JSON, unknown fields, values of another kind, then absent and
    ///   wrong ones.
    static func read(_ bytes: [UInt8], for route: Route) throws(APIError) -> JSONObject {
        guard let schema = route.body else { return JSONObject() }
        // Nothing where a body is needed lacks its first field, as a body without fields does.
        guard !bytes.isEmpty else { return try checked([:], by: schema) }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(bytes)
        } catch {
            throw APIError(.badJSON, error.description)
        }
        return try checked(value == .null ? [:] : value, by: schema)
    }

    private static func checked(_ value: JSONValue, by schema: Schema) throws(APIError) -> JSONObject {
        try schema.checkBody(value, isRequest: true)
        return value.object ?? JSONObject()
    }
}
