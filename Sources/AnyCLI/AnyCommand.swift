import Glibc

/// The executable `any`.
@main
enum AnyCommand {
    static let version = "0.1.0"

    static let root = Command(
        name: "any", abstract: "End-to-end encrypted push notifications for any servers",
        subcommands: [DemoCommand.command, NodeCommand.command, VectorsCommand.command]
    )

    static func main() async {
        let code = await run(Array(CommandLine.arguments.dropFirst()))
        exit(code.rawValue)
    }

    static func run(_ words: [String]) async -> ExitCode {
        do {
            switch try CommandParser(root: root).parse(words) {
            case .version:
                Console.out(version)
                return .success
            case .help(let path):
                Console.out(HelpPage(path: path).text)
                // Without a word there is nothing to do but to show what could be done; that is no success.
                return words.isEmpty ? .failure : .success
            case .run(let command, let values):
                return try await command.run?(values) ?? .success
            }
        } catch let failure as CommandParser.Failure {
            Console.error(failure.message)
            return .failure
        } catch {
            Console.error("\(error)")
            return .environment
        }
    }
}
