/// Makes payloads of about the same length the same length, so that what is sealed tells less of what it says.
///
/// Spaces after the JSON: white space may end a JSON text (RFC 8259, section 2), and readers take it.
public enum PayloadPadding {
    /// A payload has a multiple of so many bytes; ours. A chat message's ids and names are two steps, its text the rest.
    public static let step = 256

    /// A JSON text with spaces behind it, up to a full step or the limit, whichever comes first.
    ///
    /// - Parameters:
    ///   - json: a JSON text; one over the limit stays as it is.
    ///   - limit: the most bytes that there is room for.
    public static func padded(
        _ json: [UInt8], step: Int = Self.step, within limit: Int = ProviderBudget.payloadByteCount
    ) -> [UInt8] {
        let steps = (json.count + step - 1) / step
        let length = min(steps * step, limit)
        return json + [UInt8](repeating: UInt8(ascii: " "), count: max(length - json.count, 0))
    }
}
