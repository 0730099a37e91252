import Glibc

/// The terminal that the process was started from, if there is one.
struct Terminal: Sendable {
    private let isOurs: Bool

    /// Looks for the terminal. Whoever has us ignore SIGHUP wants us to outlive it.
    init() {
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        isOurs = !isIgnored && Self.isThere
    }

    /// Whether it has been closed since.
    var hasGone: Bool { isOurs && !Self.isThere }

    // The name stands for whatever terminal controls the process, and opens as long as one does.
    private static var isThere: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }
}
