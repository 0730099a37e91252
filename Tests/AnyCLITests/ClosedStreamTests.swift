import Glibc
import TestSupport
import Testing

/// Commands whose output goes nowhere.
@Suite struct ClosedStreamTests {
    @Test(arguments: [">&-", ">/dev/full", "<&- >&- 2>&-"])
    func dataThatDidNotComeIsNoSuccess(redirections: String) async throws {
        for words in [["--version"], ["help", "node"]] {
            let end = try await ToolProcess(shell: words, redirections).end()
            #expect(end.status == 2, "\(words) \(redirections): \(end)")
            if !redirections.contains("2>") { #expect(end.errors.hasPrefix("any: cannot write standard output: ")) }
        }
    }

    @Test func aClosedStandardErrorIsNoFailure() async throws {
        let end = try await ToolProcess(shell: ["--version"], "<&- 2>&-").end()
        #expect(end.status == 0 && end.output == "0.1.0\n")
    }

    @Test func theServerEndsWhateverIsNotRead() async throws {
        let home = try TemporaryDirectory()
        let made = try await AnyProcess.run(["init"], environment: ["HOME": home.path])
        #expect(made.status == 0, "\(made.errors)")
        let full = try FullPipe()
        let arguments = ["run", "--data-dir", home.path(".any"), "--addr", "127.0.0.1:0", "--log-level", "debug"]
        let process = try ToolProcess(shell: arguments, "2>\(full.path)", before: "env HOME=\(home.path)")
        _ = try await process.line(after: "LISTENING ")
        process.signal(SIGHUP)
        process.signal(SIGTERM)
        #expect(await process.wait() == 0)
    }
}
