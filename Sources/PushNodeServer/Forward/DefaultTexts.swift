/// What a phone shows when it can not open a notification: the node's own texts, which it sends beside the sealed payload
/// (protocol.md §4, "What a device gets").
public struct DefaultTexts: Hashable, Sendable {
    /// The notification's title.
    public var title: String
    /// Its body; may be empty.
    public var body: String
    /// The URL of an image, absolute or a path from the root; may be empty.
    public var imageURL: String

    /// Texts; the defaults are those of the reference node's sample configuration.
    public init(title: String = "You have a new message", body: String = "", imageURL: String = "") {
        self.title = title
        self.body = body
        self.imageURL = imageURL
    }
}
