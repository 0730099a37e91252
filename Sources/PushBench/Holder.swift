import Glibc

/// A second process of this executable, told to end by the end of its input.
final class Holder {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let pid: pid_t
    private let input: Int32
    private let output: Int32

    init(_ words: [String]) throws {
        var inputs: [Int32] = [0, 0]
        var outputs: [Int32] = [0, 0]
        guard pipe(&inputs) == 0, pipe(&outputs) == 0 else { throw Failure(description: "no pipe") }
        for descriptor in inputs + outputs { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let arguments = (["push-bench"] + words).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, "/proc/self/exe", &actions, nil, arguments, environ)
        close(inputs[0])
        close(outputs[1])
        guard status == 0 else { throw Failure(description: "cannot start a second process: error \(status)") }
        self.pid = pid
        input = inputs[1]
        output = outputs[0]
    }

    /// Waits until the process says that it is ready.
    func waitUntilReady() throws {
        _ = try line()
    }

    /// The next line that the process writes.
    func line() throws -> String {
        var bytes: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard read(output, &byte, 1) == 1 else { throw Failure(description: "the second process ended early") }
            guard byte != UInt8(ascii: "\n") else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    func end() {
        close(input)
        close(output)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
}
