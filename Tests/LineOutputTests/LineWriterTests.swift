import Glibc
import LineOutput
import Locks
import SecretFiles
import TestSupport
import Testing

@Suite struct LineWriterTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func linesComeInOrder() async throws {
        let writer = try LineWriter(appendingTo: folder.path("log")) { "\($0) missing" }
        for number in 0..<100 { writer.write("line \(number)") }
        await writer.close(within: .seconds(60))
        #expect(try folder.text("log") == (0..<100).map { "line \($0)\n" }.joined())
        #expect(folder.mode("log") == 0o600)
    }

    @Test func whatDoesNotFitIsCountedAndToldWhenSomeoneReads() async throws {
        let pipe = try Pipe()
        var limits = LineWriter.Limits()
        limits.lines = 100
        let writer = LineWriter(descriptor: pipe.writing, limits: limits) { "\($0) missing" }
        let filling = pipe.fill()
        let line = String(repeating: "x", count: 99)
        for _ in 0..<1000 { writer.write(line) }
        let isIdle = writer.flush(within: .zero)
        #expect(!isIdle)
        let reader = Task { await OwnThread.run { pipe.readToEnd() } }
        let isWritten = writer.flush(within: .seconds(60))
        #expect(isWritten)
        writer.write("after")
        await writer.close(within: .seconds(60))
        pipe.closeWriting()
        let lines = await reader.value.dropFirst(filling).split(separator: "\n").map(String.init)
        let told = lines.compactMap { text in text.hasSuffix(" missing") ? Int(text.dropLast(8)) : nil }
        #expect(told.reduce(0, +) > 0)
        #expect(lines.count { $0 == line } + told.reduce(0, +) == 1000)
        #expect(lines.last == "after")
    }

    @Test func memoryIsBoundedByBytesToo() async throws {
        let pipe = try Pipe()
        var limits = LineWriter.Limits()
        limits.bytes = 1000
        let writer = LineWriter(descriptor: pipe.writing, limits: limits) { "\($0) missing" }
        writer.write(String(repeating: "x", count: 1000))
        let reader = Task { await OwnThread.run { pipe.readToEnd() } }
        await writer.close(within: .seconds(60))
        pipe.closeWriting()
        #expect(await reader.value == "1 missing\n")
    }

    @Test func aReaderThatHasGoneEndsNothing() async throws {
        let pipe = try Pipe()
        pipe.closeReading()
        let writer = LineWriter(descriptor: pipe.writing) { "\($0) missing" }
        // Would be a deadly SIGPIPE on a thread that takes signals.
        for _ in 0..<10 { writer.write("line") }
        await writer.close(within: .seconds(60))
    }

    @Test func aDestinationThatNobodyReadsHoldsUpNoEnd() async throws {
        let pipe = try Pipe()
        let writer = LineWriter(descriptor: pipe.writing) { "\($0) missing" }
        for _ in 0..<100 { writer.write(String(repeating: "x", count: 99)) }
        await writer.close(within: .milliseconds(1))
        pipe.closeReading()
    }

    @Test func aFileThatWasRenamedAwayIsBegunAnew() async throws {
        let writer = try LineWriter(appendingTo: folder.path("log")) { "\($0) missing" }
        writer.write("one")
        let isWritten = writer.flush(within: .seconds(60))
        #expect(isWritten)
        try #require(rename(folder.path("log"), folder.path("log.1")) == 0)
        writer.reopen { Issue.record("\($0)") }
        writer.write("two")
        await writer.close(within: .seconds(60))
        #expect(try folder.text("log.1") == "one\n")
        #expect(try folder.text("log") == "two\n")
    }

    @Test func aFileThatWasRotatedWithoutAWordIsBegunAnew() async throws {
        let writer = try LineWriter(appendingTo: folder.path("log")) { "\($0) missing" }
        for (number, isRemoved) in [(0, false), (1, true), (2, false)] {
            writer.write("line \(number)")
            let isWritten = writer.flush(within: .seconds(60))
            #expect(isWritten)
            #expect(try folder.text("log") == "line \(number)\n")
            if isRemoved {
                try #require(unlink(folder.path("log")) == 0)
            } else {
                try #require(rename(folder.path("log"), folder.path("log.\(number)")) == 0)
            }
        }
        writer.write("last")
        await writer.close(within: .seconds(60))
        #expect(try folder.text("log") == "last\n")
        #expect(try folder.text("log.0") == "line 0\n" && folder.text("log.2") == "line 2\n")
        #expect(folder.mode("log") == 0o600)
    }

    @Test func aFileThatCannotBeOpenedAgainLeavesTheOldOne() async throws {
        let writer = try LineWriter(appendingTo: folder.path("log")) { "\($0) missing" }
        try #require(rename(folder.path("log"), folder.path("log.1")) == 0)
        // Nobody reads this pipe, and opening it would wait for someone.
        try #require(mkfifo(folder.path("log"), 0o600) == 0)
        let failures = SystemLock<[FileError]>([])
        writer.reopen { error in failures.withLock { $0.append(error) } }
        writer.write("one")
        await writer.close(within: .seconds(60))
        #expect(failures.withLock { $0 } == [.failed(.write, path: folder.path("log"), code: ENXIO)])
        #expect(try folder.text("log.1") == "one\n")
        #expect(throws: FileError.self) { try LineWriter(appendingTo: folder.path("log")) { "\($0) missing" } }
    }

    @Test func aFullDiskIsToldWithTheNextLine() async throws {
        let file = try FullFile()
        let writer = LineWriter(descriptor: file.descriptor) { "\($0) missing" }
        writer.write("one")
        writer.write("two")
        let isWritten = writer.flush(within: .seconds(60))
        #expect(isWritten)
        try file.makeRoom()
        writer.write("three")
        await writer.close(within: .seconds(60))
        #expect(file.text == "2 missing\nthree\n")
    }

    private final class Pipe: Sendable {
        let writing: Int32
        private let reading: Int32
        private let isOpen = SystemLock((reading: true, writing: true))

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            (reading, writing) = (ends[0], ends[1])
        }

        deinit {
            closeReading()
            closeWriting()
        }

        /// Leaves no room, and says how many bytes that took.
        func fill() -> Int {
            let flags = fcntl(writing, F_GETFL)
            _ = fcntl(writing, F_SETFL, flags | O_NONBLOCK)
            defer { _ = fcntl(writing, F_SETFL, flags) }
            var filling = 0
            while write(writing, [0x2E], 1) == 1 { filling += 1 }
            return filling
        }

        func closeReading() {
            isOpen.withLock { isOpen in
                if isOpen.reading { close(reading) }
                isOpen.reading = false
            }
        }

        func closeWriting() {
            isOpen.withLock { isOpen in
                if isOpen.writing { close(writing) }
                isOpen.writing = false
            }
        }

        func readToEnd() -> String {
            var text: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = read(reading, &bytes, bytes.count), count > 0 { text += bytes.prefix(count) }
            return String(decoding: text, as: UTF8.self)
        }
    }

    @Test func aFileThatOthersMayWriteOrHaveMadeIsNoLog() throws {
        let path = folder.path("log")
        try folder.write("", to: "log")
        try #require(chmod(path, 0o666) == 0)
        #expect(throws: FileError.writableByOthers(path: path, mode: 0o666)) {
            try LineWriter(appendingTo: path) { "\($0) missing" }
        }
        // A rotation may leave it readable.
        try #require(chmod(path, 0o640) == 0)
        _ = try LineWriter(appendingTo: path) { "\($0) missing" }
        _ = try LineWriter(appendingTo: "/dev/null") { "\($0) missing" }
        guard geteuid() == 0 else { return }
        try #require(chown(path, 65_534, 65_534) == 0)
        #expect(throws: FileError.ofAnotherUser(path: path, owner: 65_534)) {
            try LineWriter(appendingTo: path) { "\($0) missing" }
        }
    }
}
