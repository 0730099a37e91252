import AnyServer

/// `any query` and `any query-subscribe`: the records of an object, such as a chat's messages.
enum QueryCommands {
    static let commands = [query, subscribe]

    private static let object = Command.Argument(
        name: "object", help: "The object's id, such as a chat's; none with --properties.", isOptional: true)
    private static let dataset = Command.Option(
        name: "dataset", value: "name", help: "Which of the object's records, such as chat_messages.")
    private static let properties = Command.Option(
        name: "properties", help: "Ask for the objects of the space themselves.")

    private static let query = Command.request(
        "query", "Ask for records of an object", arguments: [.space, object],
        options: [dataset, properties] + QueryOptions.all
    ) { values throws(CommandFailure) in
        ServerRequest(.post, path(values, "query"), body: try body(values))
    }

    private static let subscribe = Command.stream(
        "query-subscribe", "Ask for records of an object, and follow what changes",
        discussion: "Prints one JSON object for each event, until it is interrupted or the server stops.",
        arguments: [.space, object], options: [dataset, properties] + QueryOptions.all
    ) { values, _ throws(CommandFailure) in
        ServerRequest(.post, path(values, "query").appending("subscribe"), body: try body(values))
    }

    private static func path(_ values: Values, _ name: String) -> RequestPath {
        let space: RequestPath = "/v1/spaces/\(values[.space])"
        return (values.flag(properties) ? space.appending("objects") : space).appending(name)
    }

    private static func body(_ values: Values) throws(CommandFailure) -> JSONObject {
        var body = JSONObject()
        if values.flag(properties) {
            guard values.optional(object) == nil, values.option(dataset) == nil else {
                throw CommandFailure("--properties is of all objects of the space; leave out <object> and --dataset")
            }
        } else {
            guard let id = values.optional(object) else { throw CommandFailure("give <object>, or --properties") }
            guard let name = values.option(dataset) else {
                throw CommandFailure("give --dataset, such as chat_messages, or --properties")
            }
            body["objectId"] = .string(id)
            body["dataset"] = .string(name)
        }
        try QueryOptions.add(values, to: &body)
        return body
    }
}
