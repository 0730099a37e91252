import Foundation
import Testing

/// Help, mistakes and exit codes.
@Suite(.serialized) struct CommandTests {
    @Test func helpComesInTheUsualOrder() async throws {
        let help = try await AnyProcess.run("vectors", "replay", "--help")
        #expect(help.status == 0 && help.errors.isEmpty)
        let sections = ["OVERVIEW: ", "USAGE: any vectors replay [--json] <dir>", "ARGUMENTS:", "OPTIONS:"]
        let places = sections.map { help.output.range(of: $0)?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
        let same = try await AnyProcess.run("help", "vectors", "replay")
        #expect(same.output == help.output)
    }

    @Test func nothingToDoShowsHelpAndIsNoSuccess() async throws {
        for words in [[], ["space"], ["space", "members"], ["push"], ["--addr", "127.0.0.1:1"]] {
            let bare = try await AnyProcess.run(words)
            #expect(bare.status == 1, "\(words)")
            #expect(bare.output.contains("SUBCOMMANDS:") && bare.errors.isEmpty)
        }
    }

    @Test func everyCommandHasItsHelp() async throws {
        var paths: [[String]] = [[]]
        var seen = 0
        while let path = paths.popLast() {
            let help = try await AnyProcess.run(path + ["--help"])
            #expect(help.status == 0 && help.errors.isEmpty)
            #expect(help.output.hasPrefix("OVERVIEW: "))
            #expect(help.output.contains("\nUSAGE: any\(path.map { " " + $0 }.joined())"))
            #expect(help.output.contains("\n  -h, --help"))
            #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(path)")
            seen += 1
            guard let list = help.output.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first else { continue }
            paths += list.components(separatedBy: "\n\n")[0].split(separator: "\n")
                .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
                .map { path + [String($0.split(separator: " ")[0])] }
        }
        #expect(seen > 50)
    }

    @Test func theVersionIsOneLine() async throws {
        let version = try await AnyProcess.run("--version")
        #expect(version.status == 0)
        #expect(version.output.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        (["vector"], "any: unknown command vector; did you mean vectors?; see any --help\n"),
        (
            ["vectors", "replay"],
            "any: missing argument <dir> (The directory with the vector files.); see any vectors replay --help\n"
        ),
        (["vectors", "replay", "a", "b"], "any: unexpected argument \"b\"; see any vectors replay --help\n"),
        (["push", "tokn"], "any: unknown command tokn; did you mean token?; see any push --help\n"),
        (
            ["push", "token", "set", "--token", "t"],
            "any: missing option --platform <platform> (ios or android.); see any push token set --help\n"
        ),
        (["space", "get", ""], "any: argument <space> is empty (The space's id.); see any space get --help\n"),
        (["--adr", "x"], "any: unknown option --adr; did you mean --addr?; see any --help\n"),
        (["--addr", "x:1", "demo"], "any: option --addr is not for any demo; see any demo --help\n"),
        (["demo", "--jsn"], "any: unknown option --jsn; did you mean --json?; see any demo --help\n"),
        (["demo", "--json", "--json"], "any: option --json is given twice\n"),
        (["demo", "--json=yes"], "any: option --json takes no value\n"),
        (["init", "--index"], "any: option --index needs a value: --index <number>\n"),
        (
            ["node", "--data-dir", "/tmp/unused", "--listen", "foo://x:1"],
            "any: address \"foo://x:1\": unknown scheme \"foo\", expected yamux, tls+yamux, quic or none\n"
        ),
    ])
    func aMistakeIsNamedWithItsMend(words: [String], message: String) async throws {
        let mistake = try await AnyProcess.run(words)
        #expect(mistake.status == 1)
        #expect(mistake.output.isEmpty)
        #expect(mistake.errors == message)
    }
}
