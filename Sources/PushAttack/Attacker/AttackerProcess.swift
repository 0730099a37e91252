import AnySyncNet
import FoundationEssentials

/// The attacker as the process that measures sees it.
final class AttackerProcess {
    private let process: ChildProcess

    init(_ attack: Attack, over kind: ConnectionKind, _ node: NodeAddress, _ scale: Scale, in folder: String) throws {
        process = try ChildProcess(try Player.words(attack, kind, node, scale, folder))
    }

    /// Waits until the attack is under way.
    func begin() async throws {
        guard try await process.line(within: .seconds(60)) == "BEGUN" else {
            throw Failure("the attacker did not begin")
        }
    }

    /// Ends the attack and its connections.
    ///
    /// - Returns: what it has got.
    func end() async throws -> [String: Int] {
        process.closeInput()
        let line = try await process.line(within: .seconds(10))
        process.end(9)
        guard let line, line.hasPrefix("TALLY ") else { return [:] }
        return try JSONDecoder().decode([String: Int].self, from: Data(line.dropFirst(6).utf8))
    }
}
