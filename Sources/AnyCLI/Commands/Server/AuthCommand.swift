import AnyServer

/// `any auth`: which account a server runs.
enum AuthCommand {
    static let command = Command(
        name: "auth", abstract: "The account that a server runs", subcommands: [login, logout, status])

    private static let mnemonic = Command.Option(
        name: "mnemonic-stdin", help: "Read the account's phrase from standard input.")
    private static let index = Command.Option(
        name: "index", value: "number", help: "Which of the phrase's accounts. Default: 1.")

    private static let login = Command.request(
        "login", "Start an account on a managed server",
        discussion: """
            For the host of a managed server, which takes its control token. <body> is such as {"accountKey":"…"}, the base64
            of the account's key, and is best given as - or @file, for others see the words of a command line.
            """,
        arguments: [.body], options: [mnemonic, index]
    ) { values throws(CommandFailure) in
        guard values.flag(mnemonic) else {
            guard values.option(index) == nil else { throw CommandFailure("--index is for --mnemonic-stdin") }
            guard let body = try BodyFields.read(values, []) else {
                throw CommandFailure("nothing to do: give --mnemonic-stdin, or <body>")
            }
            return ServerRequest(.post, "/v1/auth", body: body)
        }
        guard values.optional(.body) == nil else { throw CommandFailure("give either <body> or --mnemonic-stdin, not both") }
        let number = try values.count(index)
        let phrase = try SecretInput.ask("phrase: ") { () throws(CommandFailure) in try SecretInput.line() }
        var body: JSONObject = ["mnemonic": .string(phrase)]
        body["index"] = number.map { .integer($0) }
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
