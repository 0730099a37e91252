import FoundationEssentials
import VectorReplay

/// `any vectors`: replays golden vectors through the library.
enum VectorsCommand {
    static let command = Command(
        name: "vectors", abstract: "Work with golden vectors", subcommands: [replay]
    )

    private static let replay = Command(
        name: "replay", abstract: "Run every vector file of a directory through the library",
        discussion: """
            Each file NAME.json is replayed by the file's name. Prints one line for each file, the cases that failed, and a
            total. Ends with 0 when every case held, 1 when one did not, 2 when a file could not be read.
            """,
        arguments: [directory], options: [.json],
        run: { values in try run(directory: values[directory], asJSON: values.flag(.json)) }
    )

    private static let directory = Command.Argument(
        name: "dir", help: "The directory with the vector files.", completion: .directories)

    private struct Report: Encodable {
        var files: [File] = []
        var unreadable: [Unreadable] = []
        var passed = 0
        var failed = 0

        struct File: Encodable {
            let name: String
            let passed: Int
            let failed: Int
            let failures: [Failure]
        }

        struct Failure: Encodable {
            let name: String
            let reason: String
        }

        struct Unreadable: Encodable {
            let name: String
            let reason: String
        }
    }

    private static func run(directory: String, asJSON: Bool) throws -> ExitCode {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".json") }
                .sorted()
        } catch {
            Console.error("cannot read the directory \(directory): does it exist, and may it be read?")
            return .environment
        }
        guard !names.isEmpty else {
            Console.error("no vector files (*.json) in \(directory)")
            return .environment
        }
        var report = Report()
        for name in names {
            add(name, of: directory, to: &report)
            if !asJSON, report.unreadable.last?.name != name, let file = report.files.last { show(file) }
        }
        if asJSON {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            Console.out(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            Console.out("total: \(report.passed) passed, \(report.failed) failed")
        }
        if !report.unreadable.isEmpty { return .environment }
        return report.failed == 0 ? .success : .failure
    }

    private static func add(_ name: String, of directory: String, to report: inout Report) {
        let path = directory + "/" + name
        do {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw VectorFileError.malformed(String(name.dropLast(5)), reason: "it cannot be read")
            }
            let outcome = try replayVectorFile(data, named: String(name.dropLast(5)))
            report.passed += outcome.passed
            report.failed += outcome.failures.count
            report.files.append(
                Report.File(
                    name: outcome.name, passed: outcome.passed, failed: outcome.failures.count,
                    failures: outcome.failures.map { Report.Failure(name: $0.name, reason: $0.reason) }
                )
            )
        } catch {
            Console.error("\(error)")
            report.unreadable.append(Report.Unreadable(name: name, reason: "\(error)"))
        }
    }

    private static func show(_ file: Report.File) {
        Console.out("\(file.name): \(file.passed) passed, \(file.failed) failed")
        for failure in file.failures {
            Console.out("  \(failure.name): \(failure.reason)")
        }
    }
}
