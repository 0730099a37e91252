import AnyServer

/// `any chat follow`: the messages of a chat as they come.
enum ChatFollowCommand {
    static let command = Command.stream(
        "follow", "Follow a chat: its newest messages, and what is new or changes",
        discussion: """
            Prints one JSON object for each event, as `any space subscribe` does, until it is interrupted or the server stops.
            """,
        arguments: [.space, .chat], options: [limit]
    ) { values, connection throws(CommandFailure) in
        let chat = try ChatPlace(values, connection)
        return ServerRequest(
            .post, "/v1/spaces/\(chat.space)/query/subscribe",
            body: [
                "objectId": .string(chat.id), "dataset": "chat_messages", "sort": ["-_ver.id"],
                "limit": .integer(try values.count(limit) ?? 50),
            ])
    }

    private static let limit = Command.Option(
        name: "limit", value: "count", help: "How many of the newest are looked at. Default: 50.")
}
