import Dispatch
import Glibc

/// The user's wish to end: Ctrl-C, or what a service manager sends. Heard from the value's making on; a second signal of the
/// same kind ends the process at once.
struct Interrupt: Sendable {
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

    /// Can be read once the user wants to end: for waiting on it together with others.
    let descriptor: Int32

    init() {
        descriptor = Self.ends.reading
        // Whoever starts us from a thread that blocks signals hands that down.
        var numbers = sigset_t()
        sigemptyset(&numbers)
        for number in [SIGINT, SIGTERM] {
            sigaddset(&numbers, number)
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in Interrupt.wake() }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            sigaction(number, &action, nil)
        }
        pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    }

    /// Waits for SIGINT or SIGTERM, or the end of the task.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A thread of its own, for it waits as long as the server runs.
                DispatchQueue(label: "any.interrupt").async { [descriptor] in
                    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    while poll(&polled, 1, -1) < 0, errno == EINTR {}
                    continuation.resume()
                }
            }
        } onCancel: {
            Self.wake()
        }
    }

    // Only what a signal's handler may do: a system call.
    private static func wake() {
        var byte: UInt8 = 1
        _ = write(ends.writing, &byte, 1)
    }
}
