import AnyServer
import Glibc
import LineOutput

/// The executable `any`.
@main
enum AnyCommand {
    static let version = AnyServer.version

    static let root = Command(
        name: "any", abstract: "End-to-end encrypted push notifications for any servers",
        subcommands: ServerCommands.commands + QueryCommands.commands + [
            SpaceCommand.command, ChatCommand.command, ProfileCommand.command, PushCommand.command, NodeCommand.command,
            DemoCommand.command, VectorsCommand.command,
        ])

    static func main() async {
        // First thing: most commands read a key or a passkey.
        CoreDumps.forbid()
        StandardStreams.occupy()
        var code = await run()
        // What was asked for and did not come is no success.
        if code == .success, let failure = Console.outputFailure {
            Console.error(failure.message)
            code = failure.code
        }
        exit(code.rawValue)
    }

    static func run() async -> ExitCode {
        do {
            let words = try Environment.words()
            try Environment.checkText()
            switch try CommandParser(root: root).parse(words) {
            case .version:
                Console.out(version)
                return .success
            case .completionScript(let shell):
                Console.out(Array(CompletionScript(root: root).text(for: shell).utf8))
                return .success
            case .help(let path, let isAsked):
                Console.out(HelpPage(path: path).text)
                // A group alone has nothing to do but to show what could be done; that is no success.
                return isAsked ? .success : .failure
            case .run(let command, let values):
                return try await command.run?(values) ?? .success
            }
        } catch let failure as CommandFailure {
            Console.error(failure.message)
            return failure.code
        } catch {
            Console.error("\(error)")
            return .environment
        }
    }
}
