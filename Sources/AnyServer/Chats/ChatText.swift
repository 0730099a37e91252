/// Checks of short texts.
enum ChatText {
    /// Whether a text has 1 to `limit` bytes.
    static func isWithin(_ limit: Int, _ text: String) -> Bool {
        (1...limit).contains(text.utf8.count)
    }

    /// Whether a text has 1 to `limit` bytes and no control character. JSON makes such a text at most twice as long.
    static func isLine(_ text: String, _ limit: Int) -> Bool {
        isWithin(limit, text) && !text.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    }
}
