import AnyServer

/// `any chat`: the chats of a space.
enum ChatCommand {
    static let command = Command(
        name: "chat", abstract: "Chats and their messages",
        subcommands: [
            create, chats, send, ChatListCommand.command, ChatFollowCommand.command, edit, delete, react, read, readAll,
            readReactions, notify,
        ])

    private static let create = Command.request(
        "create", "Make a further chat in a space", arguments: [.space], options: [name]
    ) { values in
        ServerRequest(.post, "/v1/spaces/\(values[.space])/chats", body: ["name": .string(values.option(name) ?? "")])
    }

    private static let name = Command.Option(name: "name", value: "text", help: "The chat's name.", isRequired: true)

    private static let chats = Command.request("chats", "List the chats of a space", arguments: [.space]) { values in
        ServerRequest(.get, "/v1/spaces/\(values[.space])/chats")
    }

    private static let text = Command.Option(name: "text", value: "text", help: "What the message says.")
    private static let replyTo = Command.Option(
        name: "reply-to", value: "message", help: "The message that it answers.")
    private static let file = Command.Option(
        name: "file", value: "file", help: "Read what it says from a file, or from standard input with -.",
        completion: .files)
    private static let agentName = Command.Option(
        name: "agent-name", value: "text", help: "The agent that writes it.")
    private static let agentLink = Command.Option(
        name: "agent-debug-link", value: "link", help: "Where the agent's work can be looked at.")
    private static let agentDone = Command.Option(name: "agent-done", help: "The agent is done.")
    private static let contents = [text, file, agentName, agentLink, agentDone]

    private static let send = Command.chat(
        "send", "Send a message",
        discussion: """
            Who is mentioned by a link any://m/<space>/<identity> in the text, or whose message is answered, is notified even
            when they only want mentions. Further fields, such as attachments, go into <body>.
            """,
        arguments: [.body], options: contents + [replyTo]
    ) { values, chat throws(CommandFailure) in
        ServerRequest(.post, chat.path("messages"), body: try message(values, contents + [replyTo]))
    }

    private static let edit = Command.chat(
        "edit", "Change the text of a message of your own", arguments: [.message, .body], options: contents
    ) { values, chat throws(CommandFailure) in
        ServerRequest(.patch, chat.path("messages", values[.message]), body: try message(values, contents))
    }

    /// The body that is given as JSON, or by options.
    private static func message(_ values: Values, _ options: [Command.Option]) throws(CommandFailure) -> [UInt8] {
        if let word = values.optional(.body) {
            if let option = options.first(where: { values.flag($0) }) {
                throw CommandFailure("give either <body> or --\(option.name), not both")
            }
            return try JSONInput.read(word)
        }
        guard options.contains(where: { values.flag($0) }) else {
            throw CommandFailure("nothing to do: give --text, --file, or <body>")
        }
        var body = JSONObject()
        if let path = values.option(file) {
            guard !values.flag(text) else { throw CommandFailure("give either --text or --file, not both") }
            body["text"] = .string(try JSONInput.text(path))
        } else if let text = values.option(text) {
            body["text"] = .string(text)
        }
        body["replyToMessageId"] = values.option(replyTo).map { .string($0) }
        if [agentName, agentLink, agentDone].contains(where: { values.flag($0) }) {
            guard let name = values.option(agentName) else { throw CommandFailure("an agent needs --agent-name") }
            var agent: JSONObject = ["name": .string(name)]
            agent["debugLink"] = values.option(agentLink).map { .string($0) }
            agent["done"] = .bool(values.flag(agentDone))
            body["agent"] = .object(agent)
        }
        return JSONWriter.bytes(.object(body))
    }

    private static let delete = Command.chat(
        "delete", "Delete a message of your own", arguments: [.message]
    ) { values, chat in
        ServerRequest(.delete, chat.path("messages", values[.message]))
    }

    private static let emoji = Command.Argument(name: "emoji", help: "The reaction, at most 64 bytes.")

    private static let react = Command.chat(
        "react", "Add a reaction to a message, or take it back", arguments: [.message, emoji]
    ) { values, chat in
        ServerRequest(.post, chat.path("messages", values[.message], "reactions", values[emoji]))
    }

    private static let read = Command.chat(
        "read", "Mark a message and all before it as read", arguments: [.message]
    ) { values, chat in
        ServerRequest(.post, chat.path("messages", values[.message], "read"))
    }

    private static let readAll = Command.chat("read-all", "Mark every message as read") { _, chat in
        ServerRequest(.post, chat.path("read-all"))
    }

    private static let readReactions = Command.chat(
        "read-reactions", "Mark the reactions to a message as read", arguments: [.message]
    ) { values, chat in
        ServerRequest(.post, chat.path("messages", values[.message], "reactions-read"))
    }

    // What takes the chat's own mode away again.
    private static let asSpace = "default"
    private static let mode = Command.Argument(
        name: "mode", help: "all, mentions, none, or default for what the space says.",
        completion: .words(["all", "mentions", "none", asSpace]))

    private static let notify = Command.chat(
        "notify", "Say what notifies in a chat, whatever its space says", arguments: [mode]
    ) { values, chat in
        ServerRequest(
            .post, "/v1/spaces/\(chat.space)/properties/\(chat.id)/set/chat",
            body: ["patch": ["notifyMode": values[mode] == asSpace ? .null : .string(values[mode])]])
    }
}
