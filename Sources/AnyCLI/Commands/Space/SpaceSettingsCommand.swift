import AnyServer

/// `any space settings`: what this account has set for a space, such as whether it is muted.
enum SpaceSettingsCommand {
    static let command = Command.server(
        "settings", "Show or change the settings of a space",
        discussion: """
            Settings are private to the account. notifyMode all, mentions or none says what notifies: every message, only
            those that mention you, or nothing. Without an option it prints them; a change prints nothing.
            """,
        arguments: [.space], options: changes
    ) { values, connection throws(CommandFailure) in
        guard changes.contains(where: { values.flag($0) }) else {
            let space = try connection.send(ServerRequest(.get, "/v1/spaces/\(values[.space])")).object()
            Console.show(.object(space.object("settings") ?? [:]))
            return .success
        }
        let body = try body(values)
        let request = ServerRequest(.patch, "/v1/spaces/\(values[.space])/settings", body: body)
        Console.show(try connection.send(request).value())
        warn(of: body.object("set")?["notifyMode"])
        return .success
    }

    private static let changes = [set, setBool, setNumber, unset]

    /// The server takes any value, and one that is no mode counts as none.
    private static func warn(of mode: JSONValue?) {
        guard let mode, !modes.contains(mode.string ?? "") else { return }
        let text = String(decoding: JSONWriter.bytes(mode), as: UTF8.self)
        Console.note(
            "any: warning: notifyMode \(text) is none of \(modes.joined(separator: ", ")), so it counts as not set")
    }

    private static let modes = ["all", "mentions", "none"]

    private static let set = option("set", "Set a text, such as notifyMode=none.", value: "key=text")
    private static let setBool = option("set-bool", "Set true or false.", value: "key=bool")
    private static let setNumber = option("set-num", "Set a number.", value: "key=number")
    private static let unset = option("unset", "Remove a setting.", value: "key")

    private static func option(_ name: String, _ help: String, value: String) -> Command.Option {
        Command.Option(name: name, value: value, help: help, isRepeated: true)
    }

    private static func body(_ values: Values) throws(CommandFailure) -> JSONObject {
        var set = JSONObject()
        var keys: Set<String> = []
        for (option, read) in readers {
            for text in values.all(option) {
                guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                    throw CommandFailure("--\(option.name) \"\(text)\" is not key=value")
                }
                let key = String(text[..<equals])
                guard keys.insert(key).inserted else { throw duplicate(key) }
                set[key] = try read(String(text[text.index(after: equals)...]), "--\(option.name) \"\(text)\"")
            }
        }
        for key in values.all(unset) where !keys.insert(key).inserted { throw duplicate(key) }
        let unsetKeys = values.all(unset)
        var body = JSONObject()
        if !set.isEmpty { body["set"] = .object(set) }
        if !unsetKeys.isEmpty { body["unset"] = .array(unsetKeys.map { .string($0) }) }
        return body
    }

    private typealias Reader = (_ text: String, _ place: String) throws(CommandFailure) -> JSONValue

    private static var readers: [(Command.Option, Reader)] {
        [(set, { text, _ in .string(text) }), (setBool, readBool), (setNumber, readNumber)]
    }

    private static func readBool(_ text: String, _ place: String) throws(CommandFailure) -> JSONValue {
        switch text {
        case "true": true
        case "false": false
        default: throw CommandFailure("\(place): bad value, expected true or false")
        }
    }

    private static func readNumber(_ text: String, _ place: String) throws(CommandFailure) -> JSONValue {
        // Swift reads infinities and hexadecimal too, which JSON has not.
        let isDecimal = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        if isDecimal {
            if let whole = Int64(text) { return .integer(whole) }
            if let number = Double(text), number.isFinite { return .number(number) }
        }
        throw CommandFailure("\(place): bad value, expected a number")
    }

    private static func duplicate(_ key: String) -> CommandFailure {
        CommandFailure("key \"\(key)\" set more than once")
    }
}
