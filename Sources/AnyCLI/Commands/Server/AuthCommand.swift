import AnyServer

/// `any auth`: which account a server runs.
enum AuthCommand {
    static let command = Command(
        name: "auth", abstract: "The account that a server runs", subcommands: [login, logout, status])

    private static let phrase = Command.Option(
        name: "mnemonic", value: "words",
        help: "The account's phrase. Others see the words of a command line: better pipe it.")
    private static let phraseInput = Command.Option(
        name: "mnemonic-stdin", help: "Read the account's phrase from standard input.")
    private static let index = Command.Option(
        name: "index", value: "number", help: "Which of the phrase's accounts. Default: 1.")
    private static let account = Command.Option(
        name: "account", value: "id", help: "An account whose wallet the server has.")
    private static let replace = Command.Option(
        name: "replace", help: "Have another account that runs make room, on a managed server.")

    private static let login = Command.request(
        "login", "Start an account on a server",
        discussion: """
            With nothing else, on a server without an account, a fresh one is made and its phrase shown, this once. A managed
            server takes its control token. <body> is such as {"accountKey":"…"}, the base64 of the account's key, and is best
            given as - or @file, for others see the words of a command line.
            """,
        arguments: [.body], options: [phrase, phraseInput, index, account, replace]
    ) { values throws(CommandFailure) in
        if let body = try BodyFields.read(values, []) {
            if let option = [phrase, phraseInput, index, account, replace].first(where: { values.flag($0) }) {
                throw CommandFailure("give either <body> or --\(option.name), not both")
            }
            return ServerRequest(.post, "/v1/auth", body: body)
        }
        var body = JSONObject()
        if values.flag(phraseInput) {
            guard !values.flag(phrase) else {
                throw CommandFailure("give either --mnemonic or --mnemonic-stdin, not both")
            }
            let line = try SecretInput.ask("phrase: ") { () throws(CommandFailure) in try SecretInput.line() }
            body["mnemonic"] = .string(line)
        } else if let words = values.option(phrase) {
            body["mnemonic"] = .string(words)
        }
        body["index"] = try values.count(index).map { .integer($0) }
        body["accountId"] = values.option(account).map { .string($0) }
        if values.flag(replace) { body["replace"] = true }
        return ServerRequest(.post, "/v1/auth", body: body)
    }

    private static let keepToken = Command.Option(
        name: "keep-token", help: "Leave the phone's token at the push node, which goes on bringing messages to it.")

    private static let logout = Command.request(
        "logout", "Log the account of a managed server out",
        discussion: """
            The account stops, and the push node forgets the token of its phone, so that nothing more is brought there; a node
            that is away is told when it is back.
            """,
        options: [keepToken]
    ) { values in
        let path: RequestPath = "/v1/auth"
        return ServerRequest(.delete, path.adding("keepToken", values.flag(keepToken) ? "true" : nil))
    }

    private static let status = Command.request("status", "Show whether an account runs, and which there are") { _ in
        ServerRequest(.get, "/v1/auth")
    }
}
