import Foundation
import Glibc
import TestSupport
import Testing

/// What `any push doctor` finds between a real server and a real node, as one thing after another breaks.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RealDoctorTests {
    @Test func healthyOverQUICAndWhatAUserChanges() async throws {
        let node = try await Node()
        let any = try await RealServer()
        try await any.serve(push: "{ peerId: \(node.peer), addrs: [\"\(node.quic)\"] }") {
            try await any.quietly(["push", "token", "set", "--platform", "android", "--token", "phone"])
            let made = try await any(["space", "create", "--name", "Team"])
            let space = try #require(made.output.split(separator: "\"").dropFirst(3).first.map(String.init))
            var report = try await settled(any) { $0.ok && $0["topics"].message.contains("exactly the 2 topics") }
            #expect(report.ok && report.stages.allSatisfy { $0.status == "ok" }, "\(report)")
            #expect(
                report["encryption"].message
                    == "The connection is encrypted (quic), and no other is made with this node.")
            let status = try await any(["push", "status"])
            #expect(status.output.contains("\"kind\": \"quic\"") && status.output.contains("\"encrypted\": true"))

            try await any.quietly(["space", "settings", space, "--set", "notifyMode=none"])
            report = try await settled(any) { $0["topics"].message.contains("exactly the 0 topics") }
            #expect(report.ok && report["muted"].status == "warning")
            #expect(report["muted"].fix?.contains("notifyMode") == true)

            try await any.quietly(["push", "token", "revoke"])
            report = try await self.report(any)
            #expect(report.ok && report["token"].status == "warning")
            #expect(report["token"].fix?.contains("any push token set") == true)

            node.process.signal(SIGSTOP)
            report = try await self.report(any)
            node.process.signal(SIGCONT)
            #expect(report.failed == ["connect"] && report["tls"].name.isEmpty)
            #expect(report.notChecked?.map(\.name).contains("tls") == true)

            node.process.signal(SIGTERM)
            await node.process.wait()
            let sent = try await any(["chat", "send", space, "general", "--text", "Hello"])
            #expect(sent.status == 0)
            report = try await settled(any) { $0["queue"].status != "ok" }
            #expect(report.failed == ["connect"] && report["queue"].message == "1 notification waits for the node.")
        }
    }

    @Test func whatIsWrongInAConfiguration() async throws {
        let node = try await Node()
        let other = try await Node()
        let any = try await RealServer()
        let quic = node.quic.dropFirst("quic://".count)
        for (push, stage, status, words) in [
            ("{ peerId: \(node.peer) }", "configuration", "fail", "and push.addrs is not"),
            ("{ enabled: false }", "configuration", "fail", "Push is switched off."),
            ("{ peerId: \(node.peer), addrs: [\"no..host:1\"] }", "resolution", "fail", "no..host"),
            ("{ peerId: \(node.peer), addrs: [\"yamux://\(quic)\"] }", "connect", "fail", "connection refused"),
            (
                "{ peerId: \(node.peer), addrs: [\"quic://127.0.0.1:\(RefusedPort.udp)\"] }", "connect", "fail",
                "connection refused"
            ),
            ("{ peerId: \(node.peer), addrs: [\"\(other.yamux)\"] }", "tls", "fail", other.peer),
            ("{ peerId: \(node.peer), addrs: [\"\(node.yamux)\"] }", "encryption", "warning", "not encrypted"),
        ] {
            try await any.serve(push: push) {
                let report = try await report(any)
                #expect(report[stage].status == status, "\(push): \(report)")
                let lines = try await any(["push", "doctor"]).output
                #expect(lines.contains(words), "\(push): \(lines)")
                #expect(report[stage].fix != nil, "\(push)")
            }
        }
    }

    /// What the doctor says, once it is what a change leads to.
    private func settled(_ any: RealServer, _ isThere: (Report) -> Bool) async throws -> Report {
        var report = try await report(any)
        for _ in 0..<200 where !isThere(report) { report = try await self.report(any) }
        return report
    }

    private func report(_ any: RealServer) async throws -> Report {
        let run = try await any(["push", "doctor", "--json"])
        let report = try JSONDecoder().decode(Report.self, from: Data(run.output.utf8))
        #expect(run.status == (report.ok ? 0 : 1) && run.errors.isEmpty)
        #expect(report.ok == report.failed.isEmpty)
        return report
    }

    private struct Report: Decodable {
        struct Stage: Decodable {
            var name = ""
            var status = ""
            var message = ""
            var fix: String?
        }

        struct Unchecked: Decodable {
            let name: String
            let reason: String
        }

        let ok: Bool
        let stages: [Stage]
        let notChecked: [Unchecked]?

        subscript(name: String) -> Stage { stages.first { $0.name == name } ?? Stage() }
        var failed: [String] { stages.filter { $0.status == "fail" }.map(\.name) }
    }

    /// A node that the tool runs.
    private struct Node {
        let process: ToolProcess
        let peer: String
        let yamux: String
        let quic: String
        private let folder: TemporaryDirectory

        init() async throws {
            folder = try TemporaryDirectory()
            process = try ToolProcess([
                "node", "--data-dir", folder.path("node"), "--listen", "yamux://127.0.0.1:0", "--listen",
                "quic://127.0.0.1:0",
            ])
            let lines = try await process.lines(3)
            func after(_ beginning: String) throws -> String {
                let line = try #require(lines.first { $0.hasPrefix(beginning) }, "\(lines)")
                return String(line.dropFirst(beginning.count))
            }
            peer = try after("PEER ")
            yamux = "yamux://127.0.0.1:" + (try after("LISTENING 127.0.0.1:"))
            quic = "quic://" + (try after("LISTENING quic://"))
        }
    }
}
