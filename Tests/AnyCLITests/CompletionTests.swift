import Glibc
import TestSupport
import Testing

/// Completion scripts, run by the shells that are there.
@Suite(.serialized) struct CompletionTests {
    static let cases: [(line: [String], candidates: [String])] = [
        ([""], ["auth", "chat", "push"]),
        (["pu"], ["push"]),
        (["push", ""], ["doctor", "status", "subscriptions", "test", "token"]),
        (["push", "token", "s"], ["set", "status"]),
        (["push", "token", "set", "--p"], ["--platform"]),
        (["push", "token", "set", "--platform", ""], ["android", "ios"]),
        (["push", "token", "set", "--platform", "i"], ["ios"]),
        (["--addr", "127.0.0.1:1", "push", "tok"], ["token"]),
        (["space", "list", "--status", "remote"], ["remote_dead"]),
        (["chat", "notify", "s", "g"], ["general"]),
        (["chat", "notify", "s", "c", ""], ["all", "default", "mentions", "none"]),
        (["space", "get", ""], []),
        (["--generate-completion-script", "b"], ["bash"]),
    ]

    @Test(arguments: cases)
    func bashOffersWhatFits(line: [String], candidates: [String]) async throws {
        let script = try await AnyProcess.run("--generate-completion-script", "bash")
        #expect(script.status == 0 && script.errors.isEmpty)
        let words = (["any"] + line).map { "'\($0)'" }.joined(separator: " ")
        let ask = "\nCOMP_WORDS=(\(words)); COMP_CWORD=\(line.count); _any; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
        let folder = try TemporaryDirectory()
        try folder.write("set -eu\n" + script.output + ask, to: "ask.bash")
        let output = try await Shell.output("bash '\(folder.path("ask.bash"))' 2>&1")
        let offered = Set(output.split(separator: "\n").map(String.init))
        #expect(offered.isSuperset(of: candidates), "\(output)")
        // With nothing typed yet at the root there is more.
        if line != [""] { #expect(offered == Set(candidates)) }
    }

    @Test(.enabled(if: Shell.has("zsh"))) func zshReadsItsScript() async throws {
        let script = try await AnyProcess.run("--generate-completion-script", "zsh")
        let folder = try TemporaryDirectory()
        try folder.write(script.output, to: "_any")
        #expect(script.output.hasPrefix("#compdef any\n"))
        let complaints = try await Shell.output("zsh -n '\(folder.path("_any"))' 2>&1")
        #expect(complaints == "")
    }

    @Test(.enabled(if: Shell.has("fish"))) func fishOffersWhatFits() async throws {
        let script = try await AnyProcess.run("--generate-completion-script=fish")
        let folder = try TemporaryDirectory()
        try folder.write(script.output, to: "any.fish")
        for (line, candidates) in Self.cases where line != [""] {
            let text = "any " + line.joined(separator: " ")
            let output = try await Shell.output(
                "HOME='\(folder.path)' fish -c \"source '\(folder.path("any.fish"))'; complete -C '\(text)'\" 2>&1")
            let offered = Set(output.split(separator: "\n").map { String($0.split(separator: "\t")[0]) })
            #expect(offered == Set(candidates), "\(text): \(output)")
        }
    }

    @Test(arguments: [["--generate-completion-script"], ["--generate-completion-script", "tcsh"]])
    func anotherShellIsSaid(words: [String]) async throws {
        let run = try await AnyProcess.run(words)
        #expect(run.status == 1)
        #expect(run.errors == "any: --generate-completion-script needs one of bash, zsh, fish\n")
    }
}
