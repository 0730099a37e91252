import FoundationEssentials
import TestSupport
import Testing

/// The whole story: two servers, a push node and a phone, driven by HTTP and by commands.
struct DemoTests {
    private struct Report: Decodable {
        struct Step: Decodable {
            struct Fact: Decodable {
                let held: Bool?
            }

            let facts: [Fact]
            let held: Bool
        }

        let held: Bool
        let steps: [Step]
    }

    @Test(.timeLimit(.minutes(5)))
    func everyStepHolds() async throws {
        let end = try await ToolProcess(["demo", "--json", "--brief"], keepsErrors: true).end()
        #expect(end.status == 0, Comment(rawValue: end.output + end.errors))
        let report = try JSONDecoder().decode(Report.self, from: Data(end.output.utf8))
        #expect(report.held)
        // What the story tells: a message, mutes, an edit, a read, a rotation, a crash, a removal. The outage, with the
        // queue's real 10 s between two tries, is for scripts/demo; virtual clocks have it in the tests of the queue.
        #expect(report.steps.count == 13)
        #expect(report.steps.flatMap(\.facts).count { $0.held == true } > 30)
    }

    @Test func aDemoThatCanNotBeginIsNoSuccess() async throws {
        let end = try await ToolProcess(
            ["demo"], keepsErrors: true, environment: ["TMPDIR": "/nonexistent"]
        ).end()
        #expect(end.status != 0)
        #expect(end.errors.contains("/nonexistent") || end.errors.contains("temporary directory"))
    }
}
