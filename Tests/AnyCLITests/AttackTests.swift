import FoundationEssentials
import TestSupport
import Testing

/// `scripts/attack` at its smallest: that it plays, measures and judges. What a node holds against is for the whole run,
/// which takes minutes of a quiet machine.
struct AttackTests {
    private struct Report: Decodable {
        struct Row: Decodable {
            struct Honest: Decodable {
                let calls: Int
                let undelivered: Int
            }

            struct Memory: Decodable {
                let before: Double
                let peak: Double
                let after: Double
            }

            let attack: String
            let transport: String
            let base: Honest
            let during: Honest
            let memory: Memory
            let attacker: [String: Int]
            let deliveries: Int?
        }

        let rows: [Row]
    }

    private func attack(_ words: String...) async throws -> (status: Int32, output: String, errors: String) {
        try await ToolProcess(program: ToolProcess.productsFolder() + "/PushAttack", words, keepsErrors: true).end()
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: [("half-messages", "yamux"), ("replay", "tls+yamux"), ("ping-flood", "quic")])
    func anAttackIsPlayedAndMeasured(name: String, transport: String) async throws {
        let run = try await attack("--quick", "--json", "--only", name, "--over", transport)
        #expect(run.status == 0 || run.status == 1, Comment(rawValue: run.errors))
        let rows = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).rows
        #expect(rows.map(\.attack) == [name] && rows.map(\.transport) == [transport])
        for row in rows {
            #expect(row.base.calls > 0 && row.during.calls > 0)
            #expect(row.memory.before > 0 && row.memory.peak > 0 && row.memory.after > 0)
            #expect(row.attacker.values.contains { $0 > 0 })
        }
        if name == "replay" { #expect(rows[0].attacker["accepted"] == 10 && rows[0].deliveries == 1) }
    }

    @Test func helpNamesEachAttackAndAMistakeTheFix() async throws {
        let help = try await attack("--help")
        #expect(help.status == 0 && help.output.contains("half-messages") && help.output.contains("HOLDS MEANS"))
        let wrong = try await attack("--only", "nothing")
        #expect(wrong.status == 2 && wrong.errors.contains("no attack is called nothing: half-messages"))
    }
}
