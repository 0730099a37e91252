import Glibc
import Locks
import SQLiteStorage
import TestSupport
import Testing

@testable import AnyServer

/// What clients are told to look up is in the log, and does not fill it.
@Suite(.timeLimit(.minutes(5))) struct FaultLogTests {
    private static let full = StoreError.full(path: "/data/account.db")

    private func lines(_ body: (FaultLog, VirtualClock) -> Void) async throws -> [String] {
        let lines = SystemLock<[String]>([])
        let log = try ServerLog(
            LogSettings(
                level: Sourced(.info), isProduction: Sourced(false), format: Sourced(.plaintext),
                outputPaths: Sourced([])),
            output: { line in lines.withLock { $0.append(line) } })
        let clock = VirtualClock()
        body(FaultLog(log, clock: HTTPClock(clock)), clock)
        await log.close()
        return lines.withLock { $0 }
    }

    private func fault(_ id: String, _ error: any Error) -> Router.Fault {
        Router.Fault(requestId: id, route: "/v1/spaces", error: error)
    }

    @Test func aReasonIsSaidOnceInAWhile() async throws {
        let lines = try await lines { log, clock in
            for number in 0..<1000 { log.note(fault("r\(number)", Self.full), file: nil) }
            log.note(fault("other", StoreError.failed(path: "/data/account.db", reason: "disk I/O error")), file: nil)
            clock.advance(by: FaultLog.interval)
            log.note(fault("later", Self.full), file: nil)
            log.note(fault("last", Self.full), file: nil)
            log.close()
        }
        #expect(lines.count == 4)
        #expect(lines[0].contains("r0") && lines[0].contains("/v1/spaces") && lines[0].contains(Self.full.description))
        #expect(lines[1].contains("other") && lines[1].contains("/data/account.db failed: disk I/O error"))
        #expect(lines[2].contains("later") && lines[2].contains("999 since"))
        #expect(lines[3].contains("last") && lines[3].contains("1 since"))
    }

    @Test func reasonsThatDifferForEverShareALine() async throws {
        let lines = try await lines { log, _ in
            for number in 0..<10_000 {
                log.note(fault("r", SpaceError.damaged("message \(number)")), file: "/data/a.db")
            }
            log.close()
        }
        #expect(lines.count < 70)
        #expect(lines[0].contains("damaged: message 0") && lines[0].contains("file=/data/a.db"))
    }

    @Test func whatAClientIsToldToLookUpIsThere() async throws {
        try await withAnyServer { server in
            let listed = try await server.request("GET", "/v1/spaces")
            #expect(listed.status == 200)
            let root = server.folder.path("data")
            let account = try #require(server.server.accountId)
            let path = "\(root)/\(account)/sdk/account.db"
            #expect(rename(path, path + "-elsewhere") == 0)
            for _ in 0..<3 {
                let failed = try await server.request("POST", "/v1/spaces", json: ["name": "A"])
                #expect(failed.status == 500 && failed.text.contains("see the server's log"))
                #expect(!failed.text.contains(root))
            }
            let lines = server.log.withLock { $0 }.filter { $0.contains("request failed") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains(path) == true && lines.first?.contains("removed, moved or replaced") == true)
        }
    }
}
