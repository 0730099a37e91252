import Glibc

/// A process of our own that runs this same executable with other words.
final class ChildProcess {
    /// Why a process could not be started.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let pid: pid_t
    private let output: Int32
    private var buffered: [UInt8] = []
    private var isRunning = true

    /// Starts the process; its standard output is read through ``line(within:)``, its errors are ours.
    init(_ words: [String]) throws {
        var pipes: [Int32] = [0, 0]
        guard pipe(&pipes) == 0 else { throw Failure(description: "no pipe: \(String(cString: strerror(errno)))") }
        for descriptor in pipes { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let arguments = (["any"] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, "/proc/self/exe", &actions, nil, arguments, environ)
        close(pipes[1])
        guard status == 0 else {
            close(pipes[0])
            throw Failure(description: "cannot start a process: \(String(cString: strerror(status)))")
        }
        self.pid = pid
        output = pipes[0]
    }

    deinit {
        signal(SIGKILL)
        wait()
        close(output)
    }

    /// Sends a signal, if the process still runs.
    func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Waits for the end of the process.
    func wait() {
        guard isRunning else { return }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        isRunning = false
    }

    /// The next line of the process's output, `nil` when it ends or the time is over.
    func line(within seconds: Int32) -> String? {
        while true {
            if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffered.removeSubrange(...end) }
                return String(decoding: buffered[..<end], as: UTF8.self)
            }
            var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, seconds * 1000) > 0 else { return nil }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { return nil }
            buffered.append(contentsOf: chunk[..<count])
        }
    }
}
