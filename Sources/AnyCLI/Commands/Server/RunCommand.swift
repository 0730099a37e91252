import AnyServer
import AnySyncNet
import AnySyncQUIC
import Glibc

/// `any run`: the server in the foreground.
enum RunCommand {
    static let command = Command(
        name: "run", abstract: "Run the server",
        discussion: """
            Serves the account of the data directory until it is interrupted. Prints LISTENING and the address once it
            answers and, in mode managed, CONTROL_TOKEN and the token by which its host proves itself, unless the host has
            given one in ANY_CONTROL_TOKEN. The log goes to standard error. Nothing waits for it: lines that nobody reads are
            dropped, and counted.

            SIGINT, SIGTERM or `any stop` ends it in order: requests and notifications under way get a few seconds, and what
            is not sent by then waits for the next start, for ten minutes. Whatever hangs, it has ended after 15 seconds,
            then with status 2; a second signal ends it at once. SIGHUP has it open its log files again, as after a
            rotation; when its terminal closes, it ends in order.
            """,
        options: ServerOptions.all + [address], run: { values in try await run(values) })

    private static let address = Command.Option(
        name: Command.Option.address.name, value: "host:port",
        help: "Where to listen, on this machine only; port 0 for any. Default: 127.0.0.1:7001.")

    // Requests get 5 seconds, notifications 3, and the log 2.
    private static let endLimit = Duration.seconds(15)

    private static func run(_ values: Values) async throws(CommandFailure) -> ExitCode {
        var configuration = try ServerOptions.configuration(values)
        if configuration.log.format.source == .standard, !Console.hasColor(STDERR_FILENO) {
            configuration.log.format = Sourced(.plaintext)
        }
        let isManaged = configuration.mode.value == .managed
        var options = AnyServerOptions(
            configuration: configuration, passkey: isManaged ? nil : try ServerOptions.passkey(values, configuration),
            controlToken: isManaged ? try controlToken() : nil)
        Descriptors.raiseLimit()
        options.transports = { [TCPTransport($0), try QUICTransport($0)] }
        // Before the start: whoever reads that it listens may send a signal right away.
        let foreground = Foreground("the server", limit: endLimit)
        options.onStopping = { foreground.isEnding() }
        let server: AnyServer
        do throws(AnyServerError) { server = try await AnyServer.start(options) } catch {
            throw CommandFailure("\(error)")
        }
        foreground.out("LISTENING \(server.address)")
        if let token = server.controlToken { foreground.out("CONTROL_TOKEN \(token.text)") }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await foreground.waitForEnd { server.reopenLog() } }
            // Its host stops a managed server.
            group.addTask { await server.waitUntilStopped() }
            await group.next()
            await server.stop(graceful: true)
            group.cancelAll()
        }
        await foreground.finish()
        return .success
    }

    private static func controlToken() throws(CommandFailure) -> ControlToken? {
        guard let text = Environment[ControlToken.variable] else { return nil }
        guard let token = ControlToken(text) else {
            throw CommandFailure("\(ControlToken.variable) is no control token: 16 to 256 visible ASCII characters")
        }
        return token
    }
}
