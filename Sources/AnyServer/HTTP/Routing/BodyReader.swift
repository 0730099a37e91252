/// Reads a request's body for its route.
enum BodyReader {
    /// The fields of the body, none when the route reads no body.
    ///
    /// - Throws: ``APIError`` in the contract's order: JSON, the kind of the whole, unknown fields, then absent and
    ///   wrong ones.
    static func read(_ bytes: [UInt8], for route: Route) throws(APIError) -> JSONObject {
        guard let schema = route.body else { return JSONObject() }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(bytes)
        } catch {
            throw APIError(.badJSON, error.description)
        }
        try schema.checkBody(value)
        return value.object ?? JSONObject()
    }
}
