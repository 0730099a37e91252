import FoundationEssentials
import TestSupport
import Testing
import VectorReplay

@Suite struct GoldenVectorTests {
    @Test(arguments: vectorFileNames)
    func everyCaseHolds(of name: String) throws {
        let data = try Data(contentsOf: Repository.vectors.appendingPathComponent(name + ".json"))
        let outcome = try replayVectorFile(data, named: name)
        #expect(outcome.passed > 0)
        for failure in outcome.failures {
            Issue.record("\(name): \(failure.name): \(failure.reason)")
        }
    }

    @Test func aKindThatNobodyKnowsIsAFailure() throws {
        let file = Data(#"{"cases":[{"kind":"novel","name":"of tomorrow"}]}"#.utf8)
        let outcome = try replayVectorFile(file, named: "identity")
        #expect(outcome.failures == [FailedCase(name: "of tomorrow", reason: "unknown kind novel")])
    }

    @Test func aFileWithoutReplayIsRefused() {
        #expect(throws: VectorFileError.unknownFile("novel")) {
            try replayVectorFile(Data(#"{"cases":[]}"#.utf8), named: "novel")
        }
    }
}

private let vectorFileNames: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Repository.vectors.path)) ?? []
    return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
}()
