/// Text where an object id belongs.
enum ObjectIdText {
    /// What languages print for no value at all; a client that sends one has lost its id (any-api.md, "Bodies").
    private static let nilTexts: Set<String> = ["", "nil", "<nil>", "null", "undefined", "None"]

    static func isNil(_ text: String) -> Bool {
        nilTexts.contains(text)
    }

    static func required(_ name: String) -> APIError {
        APIError(.objectIdRequired, "\(name) must be an object id", details: ["field": .string(name)])
    }
}
