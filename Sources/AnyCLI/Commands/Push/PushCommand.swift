import AnyServer

/// `any push`: this device's push notifications.
enum PushCommand {
    static let command = Command(
        name: "push", abstract: "Push notifications of this account",
        subcommands: [
            Command(name: "token", abstract: "The push token of this device", subcommands: [set, revoke, status]),
            .request("subscriptions", "List the topics that the push node holds for this account") { _ in
                ServerRequest(.get, "/v1/push/subscriptions")
            },
            .request("status", "Show the connection to the push node, the queue and what is left to do") { _ in
                ServerRequest(.get, "/v1/push/status")
            },
            PushTestCommand.command,
            PushDoctorCommand.command,
        ])

    private static let platform = Command.Option(
        name: "platform", value: "platform", help: "ios or android.", isRequired: true,
        completion: .words(["ios", "android"]))
    private static let token = Command.Option(
        name: "token", value: "token", help: "The token, from the platform's push service.", isRequired: true)

    private static let set = Command.request(
        "set", "Register the token of this device",
        discussion: """
            Prints nothing. The server keeps the token, hands it to the push node, and does so again after a restart.
            """,
        options: [platform, token]
    ) { values in
        ServerRequest(
            .post, "/v1/push/token",
            body: [
                "platform": .string(values.option(platform) ?? ""), "token": .string(values.option(token) ?? ""),
            ])
    }

    private static let revoke = Command.request("revoke", "Forget the token of this device") { _ in
        ServerRequest(.delete, "/v1/push/token")
    }

    private static let status = Command.request(
        "status", "Show whether this device has a token, and when the node confirmed it"
    ) { _ in
        ServerRequest(.get, "/v1/push/token")
    }
}
