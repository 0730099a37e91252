import AnyServer

/// The chat that a command is about.
struct ChatPlace: Sendable {
    /// The name by which commands take the chat that every space has.
    static let general = "general"

    let space: String
    let id: String

    /// The chat of a command line: an id counts as it is, anything else is the name of one of the space's chats.
    init(_ values: Values, _ connection: ServerConnection) throws(CommandFailure) {
        space = values[.space]
        let text = values[.chat]
        guard !Self.isId(text) else {
            id = text
            return
        }
        let answer = try connection.send(ServerRequest(.get, "/v1/spaces/\(space)/chats")).object()
        let chats = (answer.array("chats") ?? []).compactMap(\.object)
        if text == Self.general, let id = chats.first(where: { $0.bool("isGeneral") == true })?.string("id") {
            self.id = id
            return
        }
        let ids = chats.filter { $0.string("name") == text || $0.string("id") == text }.compactMap { $0.string("id") }
        guard let id = ids.first else {
            throw CommandFailure("the space \(space) has no chat \"\(text)\"; see any chat chats \(space)")
        }
        guard ids.count == 1 else {
            throw CommandFailure(
                "several chats are called \"\(text)\": \(ids.joined(separator: ", ")); name one by its id")
        }
        self.id = id
    }

    /// Whether a text is an object's id: the base32 of a CID of version 1 with a SHA-256 hash.
    private static func isId(_ text: String) -> Bool {
        text.utf8.count == 59 && text.hasPrefix("bafyrei")
            && text.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x32...0x37).contains($0) }
    }

    /// A path below the chat's.
    func path(_ parts: String...) -> RequestPath {
        parts.reduce("/v1/spaces/\(space)/objects/\(id)/chat") { $0.appending($1) }
    }
}

extension Command {
    /// A command that is one request about a chat.
    static func chat(
        _ name: String, _ abstract: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
        _ request: @escaping @Sendable (Values, ChatPlace) throws(CommandFailure) -> ServerRequest
    ) -> Command {
        server(
            name, abstract, discussion: discussion, arguments: [.space, .chat] + arguments, options: options
        ) { values, connection throws(CommandFailure) in
            let chat = try ChatPlace(values, connection)
            Console.show(try connection.send(try request(values, chat)).value())
            return .success
        }
    }
}
