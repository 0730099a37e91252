import Glibc
import LineOutput
import Locks

/// What the commands share that serve in the foreground: output that nothing waits for, signals, and an end in time.
///
/// SIGINT and SIGTERM ask for the end. Whatever hangs then, a disk or a thread, the process ends within ``limit``, which a
/// thread of its own sees to; a second signal ends it at once. SIGHUP has files opened again, as after a rotation of logs.
/// It asks for the end when it says that the terminal has gone, unless the command was told to outlive that (`nohup`).
final class Foreground: Sendable {
    private enum Wish: Sendable {
        case reopen
        case end
    }

    private let name: String
    private let output: LineWriter
    private let errors: LineWriter
    private let wishes: AsyncStream<Wish>

    // The last lines.
    private static let grace = Duration.seconds(2)

    /// Hears signals from now on.
    ///
    /// - Parameters:
    ///   - name: what serves, as in "the node".
    ///   - limit: how long the end may take from when it is asked for.
    init(_ name: String, limit: Duration) {
        self.name = name
        output = LineWriter(descriptor: STDOUT_FILENO) { Self.missing($0, "standard output") }
        errors = LineWriter(descriptor: STDERR_FILENO) { Self.missing($0, "standard error") }
        let (wishes, continuation) = AsyncStream<Wish>.makeStream(bufferingPolicy: .bufferingNewest(16))
        self.wishes = wishes
        // A reader that has gone, or a file that may not grow, is an error of the call.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let terminal = Terminal()
        Signals.hear(Signals.ending + [SIGHUP])
        SystemThread.start { [errors] in
            Self.watch(limit, terminal, continuation) {
                errors.write(
                    "any: \(name) has not ended \(Self.text(limit)) after it was asked to, so it is ended now: "
                        + "something that it waits for hangs, such as a disk")
                errors.flush(within: .milliseconds(500))
                // Nothing that hangs is waited for, exit handlers neither.
                _exit(ExitCode.environment.rawValue)
            }
        }
    }

    /// Writes a line to standard output.
    func out(_ line: String) {
        output.write(line)
    }

    /// Writes an error line to standard error.
    func error(_ message: String) {
        errors.write("any: \(Console.printable(message))")
    }

    /// Writes a line to standard error that is no error.
    func note(_ line: String) {
        errors.write(Console.printable(line))
    }

    /// Returns when the end is asked for, or the task is cancelled.
    ///
    /// - Parameter reopen: opens files again.
    func waitForEnd(reopen: () async -> Void) async {
        for await wish in wishes {
            guard case .reopen = wish else { return }
            await reopen()
        }
    }

    /// The end has begun, though no signal has asked for it: it has its time from now on.
    func isEnding() {
        Signals.tell(SIGTERM)
    }

    /// Lets the last lines leave, within ``grace``.
    func finish() async {
        await output.close(within: Self.grace)
        await errors.close(within: Self.grace)
    }

    private static func watch(
        _ limit: Duration, _ terminal: Terminal, _ wishes: AsyncStream<Wish>.Continuation, end: () -> Void
    ) {
        let clock = ContinuousClock()
        var deadline: ContinuousClock.Instant?
        while true {
            var wait: Int32 = -1
            if let deadline {
                let left = clock.now.duration(to: deadline)
                guard left > .zero else { return end() }
                wait = Int32(clamping: Int((left / .milliseconds(1)).rounded(.up)))
            }
            var polled = pollfd(fd: Signals.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, wait) > 0 else { continue }
            var number: UInt8 = 0
            guard read(Signals.descriptor, &number, 1) == 1 else { continue }
            if Int32(number) == SIGHUP, !terminal.hasGone {
                if deadline == nil { wishes.yield(.reopen) }
            } else {
                deadline = deadline ?? clock.now.advanced(by: limit)
                wishes.yield(.end)
            }
        }
    }

    private static func missing(_ count: Int, _ stream: String) -> String {
        "any: \(count == 1 ? "1 line was" : "\(count) lines were") dropped while \(stream) was not read"
    }

    private static func text(_ limit: Duration) -> String {
        "\(limit.components.seconds) seconds"
    }
}
