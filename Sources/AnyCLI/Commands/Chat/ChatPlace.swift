import AnyServer

/// The chat that a command is about.
struct ChatPlace: Sendable {
    /// The name by which commands take the chat that every space has.
    static let general = "general"

    let space: String
    let id: String

    /// The chat of a command line; the general one is asked for by its name.
    init(_ values: Values, _ connection: ServerConnection) throws(CommandFailure) {
        space = values[.space]
        guard values[.chat] == Self.general else {
            id = values[.chat]
            return
        }
        let chats = try connection.send(ServerRequest(.get, "/v1/spaces/\(space)/chats")).object().array("chats") ?? []
        guard let id = chats.first(where: { $0.object?.bool("isGeneral") == true })?.object?.string("id") else {
            throw CommandFailure("the space \(space) has no general chat; see any chat chats \(space)")
        }
        self.id = id
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
