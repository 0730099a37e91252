import Glibc

/// A process of our own that runs this same executable with other words.
final class ChildProcess {
    /// Why a process could not be started, or did not do what it was started for.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let pid: pid_t
    private let output: Int32
    private let errors: Int32?
    private var buffered: [UInt8] = []
    private var isRunning = true
    private var status: Int32 = 0

    /// Starts the process; its standard output is read through ``line(within:)`` or ``end()``.
    ///
    /// - Parameters:
    ///   - environment: variables for it; none of ours that are about `any` reach it.
    ///   - keepsErrors: whether its standard error is read by ``end()`` too; otherwise it is ours.
    init(_ words: [String], environment: [String: String] = [:], keepsErrors: Bool = false) throws {
        let outputs = try Self.pipe()
        let complaints = keepsErrors ? try Self.pipe() : nil
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, outputs.write, STDOUT_FILENO)
        if let complaints { posix_spawn_file_actions_adddup2(&actions, complaints.write, STDERR_FILENO) }
        // The story is the same whatever the user's own server is told.
        let inherited = Environment.all.filter { !$0.key.hasPrefix("ANY_") }
        let variables = inherited.merging(environment) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
        let arguments = (["any"] + words).map { strdup($0) } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for text in arguments + variables { free(text) }
        }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, "/proc/self/exe", &actions, nil, arguments, variables)
        close(outputs.write)
        if let complaints { close(complaints.write) }
        output = outputs.read
        errors = complaints?.read
        self.pid = pid
        isRunning = code == 0
        guard isRunning else {
            throw Failure(description: "cannot start a process: \(String(cString: strerror(code)))")
        }
    }

    deinit {
        signal(SIGKILL)
        wait()
        close(output)
        if let errors { close(errors) }
    }

    /// Sends a signal, if the process still runs.
    func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Waits for the end of the process.
    func wait() {
        guard isRunning else { return }
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        isRunning = false
    }

    /// Reads all that the process writes and waits for its end.
    ///
    /// - Returns: its exit status, `nil` when a signal ended it, and what it wrote.
    func end() -> (status: Int32?, output: [UInt8], errors: String) {
        while read(output, into: &buffered) {}
        // Complaints are short: they fit the pipe while the output is read.
        var complaints: [UInt8] = []
        if let errors { while read(errors, into: &complaints) {} }
        wait()
        let text = String(decoding: complaints, as: UTF8.self).split(whereSeparator: \.isNewline).joined(separator: " ")
        return (status & 0x7F == 0 ? status >> 8 & 0xFF : nil, buffered, text)
    }

    /// The next line of the process's output, `nil` when it ends or the time is over.
    func line(within seconds: Int32) -> String? {
        while true {
            if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffered.removeSubrange(...end) }
                return String(decoding: buffered[..<end], as: UTF8.self)
            }
            var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, seconds * 1000) > 0, read(output, into: &buffered) else { return nil }
        }
    }

    /// Reads what there is.
    ///
    /// - Returns: whether there may be more.
    private func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16384)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { return true }
        guard count > 0 else { return false }
        bytes.append(contentsOf: chunk[..<count])
        return true
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else {
            throw Failure(description: "no pipe: \(String(cString: strerror(errno)))")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
