import Glibc

/// Signals, as bytes that can be read: each is its number.
enum Signals {
    // Made before any handler is set, so that a handler finds it made.
    private static let ends: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for descriptor in ends {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        }
        return (ends[0], ends[1])
    }()

    /// Those that ask for the end. Once one of them has come, the next of either kind ends the process at once, by the
    /// system's hand.
    static let ending = [SIGINT, SIGTERM]

    /// What the signals' numbers are read from.
    static var descriptor: Int32 { ends.reading }

    /// Hears signals from now on.
    static func hear(_ numbers: [Int32]) {
        guard descriptor >= 0 else { return }
        // Whoever starts us from a thread that blocks signals hands that down.
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers {
            sigaddset(&set, number)
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in Signals.received(number) }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Does as if a signal had come.
    static func tell(_ number: Int32) {
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(ends.writing, &byte, 1)
    }

    // Only what a signal's handler may do: system calls.
    private static func received(_ number: Int32) {
        if number == SIGINT || number == SIGTERM {
            signal(SIGINT, SIG_DFL)
            signal(SIGTERM, SIG_DFL)
        }
        tell(number)
    }
}
