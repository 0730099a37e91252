import AnyServer

extension Command {
    /// A command that is one request; its answer is printed, if there is any.
    static func request(
        _ name: String, _ abstract: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
        _ request: @escaping @Sendable (Values) throws(CommandFailure) -> ServerRequest
    ) -> Command {
        server(name, abstract, discussion: discussion, arguments: arguments, options: options) {
            values, connection throws(CommandFailure) in
            Console.show(try connection.send(try request(values)).value())
            return .success
        }
    }

    /// A command that asks a server.
    static func server(
        _ name: String, _ abstract: String, discussion: String = "", arguments: [Argument] = [], options: [Option] = [],
        _ run: @escaping @Sendable (Values, ServerConnection) throws(CommandFailure) -> ExitCode
    ) -> Command {
        Command(
            name: name, abstract: abstract, discussion: discussion, arguments: arguments, options: options,
            asksServer: true, run: { values in try run(values, try ServerConnection(values)) })
    }
}

extension Console {
    /// Writes JSON to standard output for people to read, nothing for nothing.
    static func show(_ value: JSONValue?) {
        if let value { out(JSONWriter.bytes(value, layout: .pretty) + [0x0A]) }
    }
}
