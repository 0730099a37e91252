import AnyServer
import CProcess
import Glibc

/// `any stop`: ends a server.
enum StopCommand {
    static let command = Command(
        name: "stop", abstract: "Stop the server",
        discussion: """
            Stops the server that runs on an account of the data directory, which is one that `any run` started; when several
            run, --account says which. Ends when the server has ended, and prints its account and its process. With --addr a
            managed server is asked over HTTP, with its control token.
            """,
        options: [ServerOptions.config, ServerOptions.dataDirectory, ServerOptions.account], asksServer: true
    ) { values throws(CommandFailure) in
        let configuration = try LocalServer.configuration(flags(values))
        // Of a server that is named nothing else is looked for.
        if values.option(.address) != nil { return try stop(at: ServerConnection(values), configuration) }
        let servers = LocalServer.all(configuration)
        guard let server = try LocalServer.only(of: servers, configuration) else {
            try refuseNamelessServer(configuration)
            Console.note(
                "any: no server runs on an account in \(configuration.dataDirectory.value); see --data-dir, --addr")
            Console.show(["stopped": false])
            return .success
        }
        try end(server, configuration, within: ServerConnection.timeout(values))
        return .success
    }

    // A server that runs no account yet has no directory by whose lock it could be found.
    private static func refuseNamelessServer(_ configuration: ServerConfiguration) throws(CommandFailure) {
        let address = try ServerAddress(configuration.listenAddress.value.description)
        let reply = try? ServerConnection(address: address).send(ServerRequest(.get, "/v1/health"))
        guard let reply, reply.status == 200, let health = try? reply.object(), health.string("account") == "" else {
            return
        }
        throw CommandFailure(
            "the server at \(address) runs no account, and nothing says which process it is; end it where it was started"
        )
    }

    private static func flags(_ values: Values) -> ConfigurationFlags {
        var flags = ConfigurationFlags()
        flags.config = values.option(ServerOptions.config)
        flags.dataDirectory = values.option(ServerOptions.dataDirectory)
        flags.account = values.option(ServerOptions.account)
        return flags
    }

    private static let notManaged = "shutdown.not_managed"

    private static func stop(
        at connection: ServerConnection, _ configuration: ServerConfiguration
    ) throws(CommandFailure) -> ExitCode {
        let reply = try connection.send(ServerRequest(.post, "/v1/shutdown"))
        guard reply.errorCode == notManaged else {
            Console.show(try reply.value())
            return .success
        }
        let servers = LocalServer.all(configuration)
        guard let server = servers.first(where: { $0.running.address == connection.address.description }) else {
            throw reply.refusal
        }
        try end(server, configuration, within: connection.timeout)
        return .success
    }

    private static func end(
        _ server: LocalServer, _ configuration: ServerConfiguration, within timeout: Duration
    ) throws(CommandFailure) {
        guard let id = server.running.processId else {
            throw CommandFailure("the server has not said which process it is; try again")
        }
        let account = server.accountId
        let process = pidfd_open(id, 0)
        guard process >= 0 else {
            throw CommandFailure("cannot reach process \(id): \(text(errno))", code: .environment)
        }
        defer { close(process) }
        // The descriptor stands for one process. If the server still names it, it is the server's.
        guard LocalServer.all(configuration).contains(server) else {
            throw CommandFailure("the server has just been replaced by another; try again")
        }
        guard isTool(id) else {
            throw CommandFailure("the server is a part of process \(id), which is another program; end that program")
        }
        guard pidfd_send_signal(process, SIGTERM, nil, 0) == 0 else {
            throw CommandFailure("cannot stop process \(id): \(text(errno))", code: .environment)
        }
        // The lock on the account's directory goes with the process at the latest.
        var ended = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        guard poll(&ended, 1, Int32(clamping: Int(timeout / .milliseconds(1)))) == 1 else {
            throw CommandFailure("process \(id) has not ended in time; give it more with --timeout", code: .unreachable)
        }
        var result: JSONObject = ["stopped": true]
        result["account"] = account.map { .string($0) }
        result["pid"] = .integer(Int64(id))
        Console.show(.object(result))
    }

    // A signal to a program that only embeds a server would end more than the server.
    private static func isTool(_ id: Int32) -> Bool {
        // Not the link to its program: a process that allows no core dump shows that to nobody but root.
        let file = open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        // The kernel cuts names to 15 bytes and ends them with a line feed.
        var name = [UInt8](repeating: 0, count: 16)
        let count = read(file, &name, name.count)
        return count > 0 && name[..<count].elementsEqual("any\n".utf8)
    }

    private static func text(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}
