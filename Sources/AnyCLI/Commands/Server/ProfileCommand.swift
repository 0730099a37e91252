import AnyServer

/// `any profile`: how the account shows itself to others.
enum ProfileCommand {
    static let command = Command(name: "profile", abstract: "How the account shows itself", subcommands: [get, set])

    private static let get = Command.request("get", "Show the account's identity and name") { _ in
        ServerRequest(.get, "/v1/profile")
    }

    private static let name = Command.Option(
        name: "name", value: "text", help: "What others see as the sender.", isRequired: true)

    private static let set = Command.request("set", "Change the account's name", options: [name]) { values in
        ServerRequest(.patch, "/v1/profile", body: ["name": .string(values.option(name) ?? "")])
    }
}
