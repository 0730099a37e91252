import Glibc

/// A process that this one starts and ends by its id.
final class ChildProcess {
    let identifier: pid_t
    private let output: Int32
    private var input: Int32
    private var buffered: [UInt8] = []
    private var hasEnded = false

    /// - Parameters:
    ///   - words: the program's path or name, and its words.
    ///   - errors: the file that gets its standard error; ours when `nil`.
    init(_ words: [String], errors: String? = nil) throws {
        var inputs: [Int32] = [-1, -1]
        var outputs: [Int32] = [-1, -1]
        guard pipe(&inputs) == 0, pipe(&outputs) == 0 else { throw Failure("no pipe: error \(errno)") }
        for descriptor in inputs + outputs { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        // Ctrl-C of a terminal goes to the whole group; who started these ends them.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF))
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let arguments = words.map { strdup($0) } + [nil]
        // Nothing of the user's configuration counts.
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let variables = [strdup("PATH=\(path)"), strdup("HOME=/nonexistent"), nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            for text in arguments + variables { free(text) }
        }
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, words[0], &actions, &attributes, arguments, variables)
        close(inputs[0])
        close(outputs[1])
        identifier = pid
        input = inputs[1]
        output = outputs[0]
        guard status == 0 else {
            hasEnded = true
            throw Failure("cannot start \(words[0]): error \(status)")
        }
    }

    deinit {
        end(SIGKILL)
        closeInput()
        close(output)
    }

    func closeInput() {
        guard input >= 0 else { return }
        close(input)
        input = -1
    }

    /// Sends a signal and waits for the end.
    func end(_ number: Int32) {
        guard !hasEnded else { return }
        kill(identifier, number)
        wait()
    }

    /// Whether it still runs.
    var isRunning: Bool {
        var status: Int32 = 0
        if !hasEnded, waitpid(identifier, &status, WNOHANG) == identifier { hasEnded = true }
        return !hasEnded
    }

    func wait() {
        guard !hasEnded else { return }
        hasEnded = true
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }

    /// The next line of its standard output; `nil` at its end or when the time is over.
    func line(within timeout: Duration) async throws -> String? {
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        let deadline = ContinuousClock.now.advanced(by: timeout)
        while true {
            if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffered.removeSubrange(...end) }
                return String(decoding: buffered[..<end], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &bytes, bytes.count)
            if count > 0 {
                buffered += bytes[..<count]
            } else if count == 0 || errno != EAGAIN || ContinuousClock.now > deadline {
                return nil
            } else {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
