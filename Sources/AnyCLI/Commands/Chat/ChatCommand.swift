import AnyServer

/// `any chat`: the chats of a space.
enum ChatCommand {
    static let command = Command(
        name: "chat", abstract: "Chats and their messages",
        subcommands: [
            create, chats, send, ChatListCommand.command, ChatFollowCommand.command, edit, delete, react, read, readAll, readReactions, notify,
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
    private static let replyTo = Command.Option(name: "reply-to", value: "message", help: "The message that it answers.")
    private static let textFields = [(name: "text", option: text)]

    private static let send = Command.chat(
        "send", "Send a message",
        discussion: """
            Who is mentioned by a link any://m/<space>/<identity> in the text, or whose message is answered, is notified even
            when they only want mentions. Further fields, such as attachments, go into <body>.
            """,
        arguments: [.body], options: [text, replyTo]
    ) { values, chat throws(CommandFailure) in
        let fields = textFields + [("replyToMessageId", replyTo)]
        return ServerRequest(.post, chat.path("messages"), body: try BodyFields.require(values, fields))
    }

    private static let edit = Command.chat(
        "edit", "Change the text of a message of your own", arguments: [.message, .body], options: [text]
    ) { values, chat throws(CommandFailure) in
        ServerRequest(
            .patch, chat.path("messages", values[.message]), body: try BodyFields.require(values, textFields))
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
