package import AnyServer
import FoundationEssentials

/// One golden file: the cases of a route or of a command. They say what any-api.md says, not what our server answers.
package struct ContractFile: Sendable {
    /// One case: steps in order, against servers of its own.
    package struct Case: Sendable, CustomStringConvertible {
        package let file: String
        package let name: String
        /// How the server was started: `standalone` with an account, `push` with a push node that is away too, `empty` without an account,
        /// `managed`.
        package let server: String
        package let steps: [JSONObject]

        package var description: String { "\(file): \(name)" }
    }

    /// The route or the command.
    package let subject: String
    package let cases: [Case]

    /// Every file of a folder below `Tests/Contract`.
    package static func all(in folder: String) throws -> [ContractFile] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try names.filter { $0.hasSuffix(".json") }.sorted().map { try ContractFile("\(folder)/\($0)", name: $0) }
    }

    private init(_ path: String, name: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        guard let object = try JSONParser.parse(bytes, limits: JSONLimits(depth: 64, values: 1_000_000)).object,
            let subject = object.string("subject"), let cases = object.array("cases")
        else { throw Malformed(name: name) }
        self.subject = subject
        self.cases = try cases.map { entry in
            guard let object = entry.object, let title = object.string("name"), let steps = object.array("steps")
            else { throw Malformed(name: name) }
            return Case(
                file: name, name: title, server: object.string("server") ?? "standalone",
                steps: steps.compactMap(\.object))
        }
    }

    struct Malformed: Error {
        let name: String
    }
}
