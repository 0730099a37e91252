import Locks
import TestSupport
import Testing

@testable import AnyServer

@Suite struct ServerLogTests {
    private static let time: Int64 = 1_783_585_800_250

    private func lines(
        _ format: LogSettings.Format, level: LogSettings.Level = .debug, isProduction: Bool = false,
        paths: [String] = [], _ body: (ServerLog) -> Void
    ) async throws -> [String] {
        let lines = SystemLock<[String]>([])
        let settings = LogSettings(
            level: Sourced(level), isProduction: Sourced(isProduction), format: Sourced(format),
            outputPaths: Sourced(paths))
        let log = try ServerLog(settings, time: { Self.time }, output: { line in lines.withLock { $0.append(line) } })
        body(log)
        await log.close()
        return lines.withLock { $0 }
    }

    @Test func aRecordIsALine() async throws {
        #expect(
            try await lines(.plaintext) { $0.info("server started", ("address", "127.0.0.1:1"), ("note", "two words")) }
                == ["2026-07-09T08:30:00.250Z INFO  server started address=127.0.0.1:1 note=\"two words\""])
        #expect(
            try await lines(.json) { $0.warn("odd", ("message", "kept"), ("a", "b")) }
                == [#"{"time":"2026-07-09T08:30:00.250Z","level":"warn","message":"odd","a":"b"}"#])
        // Whoever takes lines in a program takes no colors.
        #expect(try await lines(.colorized) { $0.error("bad") } == ["2026-07-09T08:30:00.250Z ERROR bad"])
    }

    @Test func nothingBreaksTheLine() async throws {
        let hostile = "a\nb\r\u{1b}[31m\u{2028}c\u{202e}"
        let plain = try await lines(.plaintext) { $0.info(hostile, ("x", hostile)) }
        #expect(plain.count == 1)
        #expect(plain[0].unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x2000 })
        #expect(try await !lines(.json) { $0.info(hostile) }[0].contains("\n"))
    }

    @Test func levelsAreLeftOut() async throws {
        func all(_ log: ServerLog) {
            log.debug("d")
            log.info("i")
            log.warn("w")
            log.error("e")
        }
        #expect(try await lines(.plaintext, level: .debug, all).count == 4)
        #expect(try await lines(.plaintext, level: .warn, all).count == 2)
        #expect(try await lines(.plaintext, level: .error, all).count == 1)
        #expect(try await lines(.plaintext, level: .debug, isProduction: true, all).count == 3)
    }

    @Test func filesGetItToo() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("any.log")
        for text in ["one", "two"] { _ = try await lines(.colorized, paths: [path]) { $0.info(text) } }
        #expect(
            try folder.text("any.log")
                == "2026-07-09T08:30:00.250Z INFO  one\n2026-07-09T08:30:00.250Z INFO  two\n")
        #expect(folder.mode("any.log") == 0o600)
        await #expect(throws: (any Error).self) {
            try await lines(.json, paths: [folder.path("none/any.log")]) { _ in }
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_827_696_007, "2000-02-29T12:34:56.007Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func timesAreThoseOfTheCalendar(time: Int64, text: String) {
        #expect(Timestamp.text(time) == text)
    }
}
