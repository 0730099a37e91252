import AnyServer

/// `any chat list`: the messages of a chat.
enum ChatListCommand {
    static let command = Command.chat(
        "list", "List messages, the newest first",
        discussion: "With <body> the query is as you say, such as {\"filter\":…,\"sort\":[\"-_ver.id\"],\"limit\":20}.",
        arguments: [.body], options: [limit, offset, mentions, unreadMentions]
    ) { values, chat throws(CommandFailure) in
        ServerRequest(.post, "/v1/spaces/\(chat.space)/query", body: try body(values, chat))
    }

    private static let limit = Command.Option(name: "limit", value: "count", help: "How many at most. Default: 50.")
    private static let offset = Command.Option(name: "offset", value: "count", help: "How many to pass over.")
    private static let mentions = Command.Option(
        name: "mentions", value: "identity", help: "Only messages that mention the account.")
    private static let unreadMentions = Command.Option(
        name: "unread-mentions", help: "Only messages that mention you and that you have not read.")

    private static func body(_ values: Values, _ chat: ChatPlace) throws(CommandFailure) -> JSONObject {
        var body: JSONObject = ["objectId": .string(chat.id), "dataset": "chat_messages"]
        if let word = values.optional(.body) {
            guard [limit, offset, mentions, unreadMentions].allSatisfy({ !values.flag($0) }) else {
                throw CommandFailure("give either <body> or options, not both")
            }
            for field in try JSONInput.object(word).fields { body[field.name] = field.value }
            return body
        }
        var filter = JSONObject()
        if let identity = values.option(mentions) { filter["mentions"] = .string(identity) }
        if values.flag(unreadMentions) { filter["unreadMention"] = true }
        if !filter.isEmpty { body["filter"] = .object(filter) }
        body["sort"] = ["-_ver.id"]
        body["limit"] = .integer(try values.count(limit) ?? 50)
        body["offset"] = try values.count(offset).map { .integer($0) }
        return body
    }
}

extension Values {
    /// The number that an option gives.
    func count(_ option: Command.Option) throws(CommandFailure) -> Int64? {
        guard let text = self.option(option) else { return nil }
        guard let count = Int64(text), count >= 0 else {
            throw CommandFailure("option --\(option.name): \"\(text)\" is no number of 0 or more")
        }
        return count
    }
}
