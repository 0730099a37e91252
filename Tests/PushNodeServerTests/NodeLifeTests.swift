import AnySyncNet
import Foundation
import Glibc
import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import PushNodeServer
import TestSupport
import Testing

/// The node as its operator meets it: output that nobody reads, signals, disks that hang or are full.
@Suite(.timeLimit(.minutes(2))) struct NodeLifeTests {
    private let directory: TemporaryDirectory
    private var words: [String] { ["node", "--data-dir", directory.path, "--listen", "yamux://127.0.0.1:0"] }
    private var spool: String { directory.file("spool/" + SpoolForwarder.fileName) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func aFullStandardErrorHoldsUpNothing() async throws {
        let pipe = try FullPipe()
        let process = try ToolProcess(shell: words, "2>\(pipe.path)")
        let location = try await location(of: process)
        // Has it write a line there.
        process.signal(SIGHUP)
        try await notify(location)
        await eventually {
            (try? String(contentsOfFile: spool, encoding: .utf8))?.contains("\"token\":\"phone\"") == true
        }
        process.signal(SIGTERM)
        #expect(await process.wait() == 0)
    }

    @Test func aFullStandardOutputHoldsUpNothing() async throws {
        let pipe = try FullPipe()
        let process = try ToolProcess(shell: words, ">\(pipe.path)")
        await eventually { FileManager.default.fileExists(atPath: directory.file("node.db")) }
        process.signal(SIGTERM)
        #expect(await process.end().status == 0)
    }

    @Test func whateverHangsTheEndComesInTime() async throws {
        try await runOnce()
        let disk = try HungFile(path: directory.file("node.db"))
        let process = try ToolProcess(words + ["--drain", "0s"], keepsErrors: true)
        await eventually { process.hears(SIGTERM) }
        process.signal(SIGTERM)
        let end = await process.end()
        #expect(end.status == 2)
        #expect(end.errors.contains("has not ended 5 seconds after it was asked to"))
        withExtendedLifetime(disk) {}
    }

    @Test(arguments: [(SIGTERM, SIGINT), (SIGINT, SIGTERM), (SIGTERM, SIGTERM)])
    func aSecondSignalEndsItAtOnce(first: Int32, second: Int32) async throws {
        try await runOnce()
        let disk = try HungFile(path: directory.file("node.db"))
        let process = try ToolProcess(words, keepsErrors: true)
        await eventually { process.hears(SIGTERM) }
        process.signal(first)
        await eventually { !process.hears(SIGTERM) && !process.hears(SIGINT) }
        process.signal(second)
        #expect(await process.wait() == 128 + second)
        withExtendedLifetime(disk) {}
    }

    @Test func aHangupOpensTheSpoolAgain() async throws {
        let process = try ToolProcess(words, keepsErrors: true)
        _ = try await location(of: process)
        try FileManager.default.moveItem(atPath: spool, toPath: spool + ".1")
        process.signal(SIGHUP)
        await eventually { FileManager.default.fileExists(atPath: spool) }
        process.signal(SIGTERM)
        let end = await process.end()
        #expect(end.status == 0)
        #expect(end.errors == "any: the spool is opened again; what the command line says stays as it was\n")
    }

    @Test func itEndsInOrderWhenItsTerminalCloses() async throws {
        let terminal = try PseudoTerminal()
        let process = try ToolProcess(shell: words, "<\(terminal.path)", before: "setsid --ctty")
        _ = try await location(of: process)
        terminal.close()
        let end = await process.end()
        #expect(end.status == 0 && end.errors.isEmpty, "\(end)")
    }

    @Test func itOutlivesItsTerminalWhenItWasToldTo() async throws {
        let terminal = try PseudoTerminal()
        // Ignored from the start, as nohup has it.
        let process = try ToolProcess(
            program: "sh",
            [
                "-c",
                "trap '' HUP; exec setsid --ctty \(try ToolProcess.productsFolder())/any "
                    + words.joined(separator: " ") + " <\(terminal.path)",
            ], keepsErrors: true)
        _ = try await location(of: process)
        try FileManager.default.moveItem(atPath: spool, toPath: spool + ".1")
        terminal.close()
        await eventually { FileManager.default.fileExists(atPath: spool) }
        process.signal(SIGTERM)
        #expect(await process.end().status == 0)
    }

    @Test func closedDescriptorsTakeNoFilesPlace() async throws {
        let process = try ToolProcess(shell: words, "<&- >&- 2>&-")
        await eventually { FileManager.default.fileExists(atPath: spool) && process.hears(SIGHUP) }
        // A line to standard error, and one to standard output, which came with the start.
        process.signal(SIGHUP)
        process.signal(SIGTERM)
        #expect(await process.wait() == 0)
        for name in ["node.lock", "spool/" + SpoolForwarder.fileName] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: directory.file(name))).isEmpty, "\(name)")
        }
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: directory.file("node.key"))).starts(with: Data("any".utf8))
                == false)
    }

    @Test func ofFourInAFreshFolderOneRuns() async throws {
        let folder = directory.file("fresh")
        let words = ["node", "--data-dir", folder, "--listen", "yamux://127.0.0.1:0"]
        let processes = try (0..<4).map { _ in try ToolProcess(words, keepsErrors: true) }
        // Those that lose end by themselves, and the one that runs prints.
        let ends = await withTaskGroup(of: (status: Int32, output: String, errors: String).self) { group in
            for process in processes { group.addTask { await process.end() } }
            var ends: [(status: Int32, output: String, errors: String)] = []
            for await end in group {
                ends.append(end)
                guard ends.count == 3 else { continue }
                for process in processes where process.hears(SIGTERM) { process.signal(SIGTERM) }
            }
            return ends
        }
        #expect(ends.map(\.status).sorted() == [0, 2, 2, 2])
        for end in ends where end.status == 2 {
            #expect(end.errors.contains("another node is using the folder \(folder)") && !end.errors.contains("away"))
            #expect(end.output.isEmpty)
        }
    }

    @Test func aFullDiskFillsNoLog() async throws {
        let disk = try FullFile()
        try FileManager.default.createDirectory(atPath: directory.file("spool"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: spool, withDestinationPath: disk.path)
        let process = try ToolProcess(words + ["--drain", "0s"], keepsErrors: true)
        let location = try await location(of: process)
        try await notify(location, count: 200)
        process.signal(SIGTERM)
        let end = await process.end()
        #expect(end.status == 0)
        let lines = end.errors.split(separator: "\n").filter { $0.contains("cannot write the spool") }
        // One in ten seconds of what may be minutes on a busy machine.
        #expect((1...12).contains(lines.count), "\(end.errors)")
    }

    @Test func aPipeIsNoSpool() async throws {
        try FileManager.default.createDirectory(atPath: directory.file("spool"), withIntermediateDirectories: false)
        try #require(mkfifo(spool, 0o600) == 0)
        let process = try ToolProcess(words, keepsErrors: true)
        let end = await process.end()
        #expect(end.status == 2 && end.errors.contains("is not a regular file"), "\(end)")
    }

    /// Lets a node make its files.
    private func runOnce() async throws {
        let process = try ToolProcess(words, keepsErrors: true)
        _ = try await location(of: process)
        process.signal(SIGTERM)
        #expect(await process.end().status == 0)
    }

    private func location(of process: ToolProcess) async throws -> PushNodeLocation {
        var text = ""
        while !text.contains("LISTENING ") || text.last != "\n" {
            let bytes = await process.read()
            guard !bytes.isEmpty else { throw TestFailure("the node ended after: \(text)") }
            text += String(decoding: bytes, as: UTF8.self)
        }
        let words = text.split(whereSeparator: \.isWhitespace)
        return PushNodeLocation(
            peerId: try PeerId(String(words[1])), addresses: [try Address(String(words[3])).with(kind: .yamux)])
    }

    private func notify(_ location: PushNodeLocation, count: Int = 1) async throws {
        let keys = try SpacePushKeys(firstMetadataKey: SigningKey(), readKey: SymmetricKey())
        let receiver = try TestClient(of: location)
        try await receiver.client.setToken("phone", platform: .ios)
        try await receiver.client.subscribeAll([keys.sign("chats")])
        await receiver.close()
        let sender = try TestClient(of: location)
        for number in 0..<count { try await sender.notify([UInt8(number % 256)], [keys.sign("chats")]) }
        await sender.close()
    }
}
