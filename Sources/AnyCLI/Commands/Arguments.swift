// What several commands take.

extension Command.Argument {
    static let space = Command.Argument(name: "space", help: "The space's id.")
    static let chat = Command.Argument(
        name: "chat", help: "The chat's id or name; general is the chat that every space has.",
        completion: .words(["general"]))
    static let message = Command.Argument(name: "message", help: "The message's id.")
    static let identity = Command.Argument(name: "identity", help: "The account's id, A….")
    static let body = Command.Argument(
        name: "body", help: "JSON: the text itself, @file, or - for standard input.", isOptional: true,
        completion: .files)
}

extension Command.Option {
    static let address = Command.Option(
        name: "addr", value: "address",
        help:
            "Where the server is, host:port or unix:/path. Default: where the account's server says it is, else 127.0.0.1:7001."
    )
    static let timeout = Command.Option(
        name: "timeout", value: "duration", help: "How long to wait for the server. Default: 30s.")
    static let controlToken = Command.Option(
        name: "control-token", value: "token",
        help: "What proves to a managed server that its owner asks. Default: ANY_CONTROL_TOKEN.")
    static let verbose = Command.Option(name: "verbose", help: "Say on standard error what is asked and answered.")

    /// What every command takes that asks a server.
    static let client = [address, timeout, controlToken, verbose]

    static let json = Command.Option(name: "json", help: "Print one JSON object instead of lines.")
    static let name = Command.Option(name: "name", value: "text", help: "Its name.")
}
