import AnyServer

/// What has to do with the server itself.
enum ServerCommands {
    static let commands = [
        InitCommand.command, RunCommand.command, StopCommand.command, status, AuthCommand.command, version,
    ]

    private static let status = Command.request("status", "Show whether the server runs") { _ in
        ServerRequest(.get, "/v1/health")
    }

    private static let version = Command(
        name: "version", abstract: "Show the version",
        run: { _ in
            Console.show(["version": .string(AnyCommand.version)])
            return .success
        })
}
