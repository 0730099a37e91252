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

    private static let logout = Command.request("logout", "Stop the account of a managed server") { _ in
        ServerRequest(.delete, "/v1/auth")
    }

    private static let status = Command.request("status", "Show whether an account runs, and which there are") { _ in
        ServerRequest(.get, "/v1/auth")
    }
}
