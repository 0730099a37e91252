import TestSupport
import Testing

@testable import AnyServer

/// The whole story: two servers, a push node and a phone, driven by HTTP and by commands.
struct DemoTests {
    @Test(.timeLimit(.minutes(5)))
    func everyStepHolds() async throws {
        let end = try await ToolProcess(["demo", "--json"], keepsErrors: true).end()
        let report = try JSONParser.parse(Array(end.output.utf8)).object ?? [:]
        let steps = report.array("steps")?.compactMap(\.object) ?? []
        #expect(end.status == 0, Comment(rawValue: end.output + end.errors))
        #expect(report.bool("held") == true)
        #expect(steps.count == 14)
        // What the story can not do without: a message shown, mutes, an edit, a read, a rotation, a removal, an outage.
        let checks = steps.flatMap { $0.array("facts") ?? [] }.count { $0.object?.bool("held") == true }
        #expect(checks > 35)
    }
}
