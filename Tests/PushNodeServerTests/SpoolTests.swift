import FoundationEssentials
import Glibc
import Locks
import ProtoWire
import PushAPI
import PushNode
import SecretFiles
import TestSupport
import Testing

@testable import PushNodeServer

@Suite struct SpoolTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file(SpoolForwarder.fileName)
    }

    @Test func aLineIsTheMessageForFCMWithANumberATimeAndAPlatform() async throws {
        let spool = try spool()
        let message = try spool.message(content(isSilent: false), for: .android)
        #expect(await spool.deliver(message, delivery(7, .android, "tok<en")) == .delivered)
        #expect(
            try text() == """
                {"id":7,"time":"2027-01-15T08:00:00.000Z","platform":"android","data":{"x-any-body":"","x-any-group-id":\
                "group","x-any-image-url":"","x-any-key-id":"key","x-any-payload":"AQID","x-any-signature":"BAU=",\
                "x-any-title":"A title","x-any-type":"normal"},"android":{"priority":"high"},"token":"tok\\u003cen"}

                """
        )
    }

    @Test func silentAndLoudLinesOfEachPlatform() async throws {
        let clock = TestClock()
        let spool = try spool(clock)
        for (number, isSilent) in [(1, false), (2, true)] {
            clock.clock.advance(by: .milliseconds(45_007))
            let message = try spool.message(content(isSilent: isSilent, hasMessage: !isSilent), for: .ios)
            #expect(await spool.deliver(message, delivery(Int64(number), .ios, "t")) == .delivered)
        }
        let message = try spool.message(content(isSilent: true, hasMessage: false), for: .android)
        #expect(await spool.deliver(message, delivery(3, .android, "t")) == .delivered)
        #expect(
            try text() == """
                {"id":1,"time":"2027-01-15T08:00:45.007Z","platform":"ios","data":{"x-any-group-id":"group",\
                "x-any-key-id":"key","x-any-payload":"AQID","x-any-signature":"BAU=","x-any-type":"normal"},\
                "notification":{"title":"A title"},"apns":{"payload":{"aps":{"mutable-content":1}}},"token":"t"}
                {"id":2,"time":"2027-01-15T08:01:30.014Z","platform":"ios","data":{"x-any-group-id":"group",\
                "x-any-type":"silent"},"apns":{"payload":{"aps":{"content-available":1}}},"token":"t"}
                {"id":3,"time":"2027-01-15T08:01:30.014Z","platform":"android","data":{"x-any-group-id":"group",\
                "x-any-type":"silent"},"token":"t"}

                """
        )
    }

    @Test func manyAtOnceAreManyWholeLines() async throws {
        let spool = try spool()
        let message = try spool.message(content(isSilent: false), for: .ios)
        let count = 500
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    #expect(await spool.deliver(message, delivery(Int64(number), .ios, "t\(number)")) == .delivered)
                }
            }
        }
        let lines = try text().split(separator: "\n")
        let numbers = try lines.map { line in
            try JSONDecoder().decode(Line.self, from: Data(line.utf8)).id
        }
        #expect(numbers.sorted() == Array(0..<Int64(count)))
    }

    @Test func aLineThatACrashCutShortIsEndedOnOpening() async throws {
        try Data("{\"whole\":1}\n{\"cut\":".utf8).write(to: URL(fileURLWithPath: path))
        let spool = try spool()
        let message = try spool.message(content(isSilent: true), for: .ios)
        #expect(await spool.deliver(message, delivery(1, .ios, "t")) == .delivered)
        let lines = try text().split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 4 && lines[0] == "{\"whole\":1}" && lines[1] == "{\"cut\":" && lines[3] == "")
        #expect(try JSONDecoder().decode(Line.self, from: Data(lines[2].utf8)).id == 1)
    }

    @Test func aWholeFileIsContinuedAsItIs() async throws {
        for number in 1...2 {
            let spool = try spool()
            let message = try spool.message(content(isSilent: true), for: .ios)
            #expect(await spool.deliver(message, delivery(Int64(number), .ios, "t")) == .delivered)
        }
        #expect(try text().split(separator: "\n", omittingEmptySubsequences: false).count == 3)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func aSecondProcessIsRefused() throws {
        let spool = try spool()
        #expect(throws: SpoolError.inUse(path: path)) { try self.spool() }
        withExtendedLifetime(spool) {}
    }

    @Test func aFileThatWasRenamedAwayIsBegunAnew() async throws {
        let spool = try spool()
        let message = try spool.message(content(isSilent: true), for: .ios)
        #expect(await spool.deliver(message, delivery(1, .ios, "t")) == .delivered)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        #expect(await spool.deliver(message, delivery(2, .ios, "t")) == .delivered)
        #expect(try text().contains("\"id\":2") && !text().contains("\"id\":1"))
        try FileManager.default.removeItem(atPath: path)
        #expect(await spool.deliver(message, delivery(3, .ios, "t")) == .delivered)
        #expect(try text().contains("\"id\":3"))
    }

    @Test func aFileThatOthersMayWriteIsRefused() throws {
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        chmod(path, 0o666)
        #expect(throws: SpoolError.untrusted(.writableByOthers(path: path, mode: 0o666))) { try spool() }
        chmod(path, 0o640)
        _ = try spool()
    }

    @Test func aFolderThatIsNotThereIsRefused() {
        #expect {
            try SpoolForwarder(directory: directory.file("missing"), texts: DefaultTexts())
        } throws: { error in
            if case .cannotOpen = error as? SpoolError { true } else { false }
        }
    }

    @Test func whatHasNoRoomIsToldFromWhatFails() {
        #expect([ENOSPC, EDQUOT, EFBIG].allSatisfy(SpoolFile.isDiskFull))
        #expect(![EIO, EPERM, EROFS].contains(where: SpoolFile.isDiskFull))
    }

    @Test func aDiskThatIsFullIsReportedAndTheLineTriedLater() async throws {
        let disk = try FullFile()
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: disk.path)
        let log = EventLog()
        let clock = TestClock()
        let spool = try SpoolForwarder(directory: directory.path, texts: DefaultTexts(), clock: clock, report: log.add)
        let message = try spool.message(content(isSilent: true), for: .ios)
        for number in 1...300 {
            #expect(await spool.deliver(message, delivery(Int64(number), .ios, "t")) == .retry(after: nil))
        }
        // Once in ten seconds, with how many more there were.
        #expect(log.events.count == 1)
        guard case .spoolFailed(.cannotWrite(path, _, _)) = log.events.first else {
            Issue.record("unexpected \(log.events)")
            return
        }
        clock.clock.advance(by: NodeConfiguration.eventInterval)
        #expect(await spool.deliver(message, delivery(301, .ios, "t")) == .retry(after: nil))
        #expect(log.events.count == 2)
        #expect(log.events.last?.isError == true)
        #expect(log.events.last?.description.hasSuffix("(299 more like this since the last that was told)") == true)
        // There is room again, in a file that takes its place.
        try FileManager.default.removeItem(atPath: path)
        #expect(await spool.deliver(message, delivery(302, .ios, "t")) == .delivered)
        #expect(try text().contains("\"id\":302"))
    }

    @Test(.timeLimit(.minutes(1)))
    func onlyARegularFileIsASpool() async throws {
        try #require(mkfifo(path, 0o600) == 0)
        #expect(throws: SpoolError.notARegularFile(path: path)) { try self.spool() }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
        #expect(throws: SpoolError.notARegularFile(path: path)) { try self.spool() }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: SpoolError.notARegularFile(path: path)) { try self.spool() }
        try FileManager.default.removeItem(atPath: path)

        // A pipe that takes the file's place while it is written.
        let log = EventLog()
        let spool = try SpoolForwarder(
            directory: directory.path, texts: DefaultTexts(), clock: TestClock(), report: log.add)
        let message = try spool.message(content(isSilent: true), for: .ios)
        #expect(await spool.deliver(message, delivery(1, .ios, "t")) == .delivered)
        try FileManager.default.removeItem(atPath: path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(await spool.deliver(message, delivery(2, .ios, "t")) == .retry(after: nil))
        guard case .spoolFailed(.notARegularFile(path)) = log.events.first else {
            Issue.record("unexpected \(log.events)")
            return
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(await spool.deliver(message, delivery(2, .ios, "t")) == .delivered)
    }

    @Test func aRotatedFileIsBegunAnewWhenAsked() async throws {
        let spool = try spool()
        let message = try spool.message(content(isSilent: true), for: .ios)
        #expect(await spool.deliver(message, delivery(1, .ios, "t")) == .delivered)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        spool.reopen()
        await eventually { FileManager.default.fileExists(atPath: path) }
    }

    @Test(.timeLimit(.minutes(1)))
    func whoGivesUpIsAnsweredThoughTheDiskHangs() async throws {
        let disk = try FullFile()
        let hang = SystemMonitor((isHanging: false, mayGoOn: false))
        // The writing thread comes back from the disk only when the test lets it.
        let queue = SpoolQueue(try SpoolFile(path: disk.path)) { _ in
            hang.withLock { $0.isHanging = true }
            _ = hang.wait { $0.mayGoOn ? true : nil }
        }
        let tries = (1...10).map { _ in Task { await queue.add([0x0A]) } }
        await OwnThread.run { _ = hang.wait { $0.isHanging ? true : nil } }
        for task in tries { task.cancel() }
        for task in tries { #expect(await task.value == .retry(after: nil)) }
        hang.withLock { $0.mayGoOn = true }
        queue.close()
        #expect(await queue.add([0x0A]) == .retry(after: nil))
    }

    @Test func aMessageThatCanNotBeBuiltIsAFault() throws {
        let spool = try SpoolForwarder(directory: directory.path, texts: DefaultTexts(imageURL: "not a url"))
        #expect(throws: PayloadFault.self) { try spool.message(content(isSilent: false), for: .ios) }
        #expect(throws: PayloadFault.self) { try spool.message(content(isSilent: true), for: Platform(rawValue: 9)) }
    }

    private struct Line: Decodable {
        let id: Int64
    }

    private func spool(_ clock: TestClock = TestClock()) throws -> SpoolForwarder {
        try SpoolForwarder(directory: directory.path, texts: DefaultTexts(title: "A title"), clock: clock)
    }

    private func text() throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
}

private func content(isSilent: Bool, hasMessage: Bool = true) -> NotificationContent {
    let message = NotifyRequest.Message(keyId: "key", payload: [1, 2, 3], signature: [4, 5])
    return NotificationContent(isSilent: isSilent, groupId: "group", message: hasMessage ? message : nil)
}

private func delivery(_ notification: Int64, _ platform: Platform, _ token: String) -> Delivery {
    Delivery(
        id: notification, notification: notification, platform: platform, token: WireString(token), attempts: 0,
        expiresAt: TestClock.start
    )
}
