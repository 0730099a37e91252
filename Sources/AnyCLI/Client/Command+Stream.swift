import AnyServer
import Glibc

extension Command {
    /// A command that follows a stream of events until it ends, is interrupted, or nobody reads any more.
    static func stream(
        _ name: String, _ abstract: String, discussion: String, arguments: [Argument],
        _ request: @escaping @Sendable (Values) throws(CommandFailure) -> ServerRequest
    ) -> Command {
        stream(name, abstract, discussion: discussion, arguments: arguments, options: []) {
            values, _ throws(CommandFailure) in try request(values)
        }
    }

    /// The same for a command that has to ask the server something else first.
    static func stream(
        _ name: String, _ abstract: String, discussion: String, arguments: [Argument], options: [Option],
        _ request: @escaping @Sendable (Values, ServerConnection) throws(CommandFailure) -> ServerRequest
    ) -> Command {
        server(name, abstract, discussion: discussion, arguments: arguments, options: options) {
            values, connection throws(CommandFailure) in
            let request = try request(values, connection)
            let interrupt = Interrupt().descriptor
            // Writing to a reader that has gone ends the command, not the process.
            signal(SIGPIPE, SIG_IGN)
            var isClosed = false
            let hasEnded = try connection.follow(request, interrupt: interrupt) { event in
                isClosed = event.name == "closed"
                return Console.out(line(event))
            }
            if hasEnded, !isClosed {
                throw CommandFailure("the stream was cut: the server ended it without a word", code: .environment)
            }
            return .success
        }
    }

    /// An event as one line of JSON.
    private static func line(_ event: ServerEvent) -> [UInt8] {
        // A server of ours sends JSON only; whatever else it is stays readable as a text.
        let data =
            (try? JSONParser.parse(event.data, limits: ServerReply.limits))
            ?? .string(String(decoding: event.data, as: UTF8.self))
        return JSONWriter.bytes(["event": .string(event.name), "data": data]) + [0x0A]
    }
}
