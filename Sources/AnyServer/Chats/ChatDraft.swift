/// A message that is to be sent, checked.
struct ChatDraft: Hashable, Sendable {
    let text: String
    /// The message that it answers. It need not be there; its author is mentioned when it is.
    let replyTo: String?
    let extras: MessageExtras

    /// Checks a message.
    ///
    /// - Throws: ``ChatError``.
    init(text: String, replyTo: String? = nil, extras: MessageExtras = MessageExtras()) throws(ChatError) {
        guard text.utf8.count <= ChatLimits.textByteCount else { throw .textTooLong(found: text.utf8.count) }
        guard !text.isEmpty || extras.attachmentCount > 0 || extras.hasControl else { throw .textRequired }
        if let replyTo, !ChatText.isLine(replyTo, ChatLimits.nameByteCount) {
            throw .replyIdInvalid(reason: "must be an id of at most \(ChatLimits.nameByteCount) bytes")
        }
        self.text = text
        self.replyTo = replyTo
        self.extras = extras
    }

    /// Reads the body of a request: `text`, `replyToMessageId`, `agent`, `attachments`, `context`, `control`. Other
    /// fields are the route's business.
    ///
    /// - Throws: ``ChatError``.
    init(_ body: JSONObject) throws(ChatError) {
        let reply = body["replyToMessageId"] ?? .null
        // An empty id is as good as none, as for any client that always writes the field.
        guard reply == .null || reply.string != nil else { throw .replyIdInvalid(reason: "must be a string") }
        try self.init(
            text: body.string("text") ?? "", replyTo: reply.string.flatMap { $0.isEmpty ? nil : $0 },
            extras: try MessageExtras(body)
        )
    }

    /// Checks the text that a message gets by an edit.
    ///
    /// - Throws: ``ChatError/textRequired`` or ``ChatError/textTooLong(found:)``.
    static func checkEdit(_ text: String) throws(ChatError) {
        guard text.utf8.count <= ChatLimits.textByteCount else { throw .textTooLong(found: text.utf8.count) }
        guard !text.isEmpty else { throw .textRequired }
    }
}
