import AnySyncNet
import Dispatch
import FoundationEssentials
import Glibc
import PushCrypto

/// The attacker's process: plays one attack until its standard input ends, then says what it has got.
///
/// A process of its own, and one that gives way: what the honest client measures is the node, and not the attacker's
/// share of the machine.
enum Player {
    static let word = "--play"

    /// The words that start the attacker.
    static func words(_ attack: Attack, _ kind: ConnectionKind, _ node: NodeAddress, _ scale: Scale, _ folder: String)
        throws -> [String]
    {
        [
            try OwnProgram.path(), word, attack.name, kind.rawValue, "\(node.peer)", "\(node.address)", scale.name,
            folder,
        ]
    }

    static func main(_ words: [String]) async {
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        do {
            try Descriptors.raise()
            guard words.count == 6, let attack = Attack.all.first(where: { $0.name == words[0] }),
                let kind = ConnectionKind(rawValue: words[1]), let scale = Scale.named(words[4])
            else { throw Failure("these words are for our own use") }
            let node = NodeAddress(peer: try PeerId(words[2]), address: try Address(words[3]))
            let site = Site(node: node, kind: kind, scale: scale, folder: words[5])
            let playing = Task { try await attack.play(site) }
            await standardInputEnds()
            playing.cancel()
            Progress.out("TALLY " + String(decoding: try JSONEncoder().encode(site.tally.all), as: UTF8.self))
            exit(0)
        } catch {
            Progress.say("attack: \(error)")
            exit(2)
        }
    }

    private static func standardInputEnds() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "push-attack.input").async {
                var byte: UInt8 = 0
                while read(STDIN_FILENO, &byte, 1) > 0 {}
                continuation.resume()
            }
        }
    }
}
