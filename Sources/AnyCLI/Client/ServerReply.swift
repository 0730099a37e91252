import AnyServer

/// What the server answered.
struct ServerReply: Sendable {
    let status: Int
    let body: [UInt8]

    // Far more values than any answer has, and far fewer than would fill the memory.
    static let limits = JSONLimits(depth: 128, values: 4_000_000)

    /// The answer's JSON, `nil` when there is none.
    ///
    /// - Throws: what the server refused, or that it does not talk as a server of ours does.
    func value() throws(CommandFailure) -> JSONValue? {
        guard (200..<300).contains(status) else { throw refusal }
        guard status != 204, !body.isEmpty else { return nil }
        do throws(JSONError) { return try JSONParser.parse(body, limits: Self.limits) } catch {
            throw CommandFailure("the server's answer is no JSON; is it a server of any?", code: .environment)
        }
    }

    /// The answer's object.
    func object() throws(CommandFailure) -> JSONObject {
        guard let object = try value()?.object else {
            throw CommandFailure("the server's answer is no JSON object; is it a server of any?", code: .environment)
        }
        return object
    }

    /// The code of the error that the server answered, `nil` when there is none.
    var errorCode: String? {
        (try? JSONParser.parse(body, limits: Self.limits))?.object?.object("error")?.string("code")
    }

    /// What the server refused, as `<HTTP status text>: <message> (<code>)`.
    var refusal: CommandFailure {
        let reason = HTTPStatus(status).reason
        let code = (400..<500).contains(status) ? ExitCode.failure : .environment
        guard
            let error = (try? JSONParser.parse(body, limits: Self.limits))?.object?.object("error"),
            let message = error.string("message"), let name = error.string("code")
        else { return CommandFailure("\(reason): the server answered \(status) and said no more", code: code) }
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        return CommandFailure("\(reason): \(line) (\(name))", code: code)
    }
}
