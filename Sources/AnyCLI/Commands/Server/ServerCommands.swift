import AnyServer

/// What has to do with the server itself.
enum ServerCommands {
    static let commands = [
        InitCommand.command, RunCommand.command, StopCommand.command, status, AuthCommand.command, version,
    ]

    private static let status = Command.request("status", "Show whether the server runs") { _ in
        ServerRequest(.get, "/v1/health")
    }

    private static let version = Command.server("version", "Show the versions of this program and of the server") {
        _, connection throws(CommandFailure) in
        Console.out("any v\(AnyCommand.version)")
        var server = "not reachable"
        // Whether there is one is part of the answer.
        if let health = try? connection.send(ServerRequest(.get, "/v1/health")).object(),
            let version = health.string("version")
        {
            server = "v\(version)"
        }
        Console.out("server: \(server)")
        return .success
    }
}
