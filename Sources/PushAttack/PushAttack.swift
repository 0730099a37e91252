import AnySyncNet
import Dispatch
import Glibc

/// Attacks a push node of its own while an honest client measures what that costs it.
@main
enum PushAttack {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        if words.first == Player.word { return await Player.main(Array(words.dropFirst())) }
        let options: Options
        switch Options.read(words) {
        case .help: return print(Options.help)
        case .wrong(let reason): fail("\(reason); see scripts/attack --help", code: 2)
        case .options(let read): options = read
        }
        let session = Task { try await play(options) }
        let ends = endSignals { session.cancel() }
        do {
            let report = try await session.value
            print(options.isJSON ? try report.json : report.table)
            exit(report.holds ? 0 : 1)
        } catch is CancellationError {
            exit(130)
        } catch {
            withExtendedLifetime(ends) { fail("\(error)", code: 2) }
        }
    }

    private static func play(_ options: Options) async throws -> Report {
        try Descriptors.raise()
        var report = Report(floor: options.floor)
        let rounds = options.attacks.flatMap { attack in
            attack.kinds.filter { options.kinds?.contains($0) ?? true }.map { (attack, $0) }
        }
        for (number, (attack, kind)) in rounds.enumerated() {
            Progress.say("\(number + 1) of \(rounds.count): \(attack.name) over \(kind.rawValue): \(attack.abstract)")
            let row = try await Round.run(attack, over: kind, options)
            Progress.say(
                row.failures.isEmpty ? "    held" : "    did not hold: " + row.failures.joined(separator: "; "))
            report.add(row)
        }
        return report
    }

    /// Calls back at SIGINT and SIGTERM: what was started is then ended, and files removed, on the way out.
    private static func endSignals(_ end: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: end)
            source.resume()
            return source
        }
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        Progress.say("attack: \(message)")
        exit(code)
    }
}
