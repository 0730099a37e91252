import Glibc
import Locks

/// The built tool `any`, or another program, as a process of its own. Foundation's `Process` reads past the end of directory entries, which
/// AddressSanitizer reports.
public final class ToolProcess: Sendable {
    /// Why a process could not be started.
    public struct Failure: Error {
        public let reason: String
    }

    // The process itself.
    let pid: pid_t
    private let output: Int32
    private let errors: Int32
    private let hasEnded = SystemLock(false)

    /// Starts the tool, which is built beside the tests.
    ///
    /// - Parameter keepsErrors: whether its standard error is read by ``end()`` too; otherwise it is ours.
    public convenience init(_ words: [String], keepsErrors: Bool = false) throws {
        try self.init(path: Self.productsFolder() + "/any", ["any"] + words, keepsErrors: keepsErrors)
    }

    /// Starts a program that is not ours, or not the tool.
    ///
    /// - Parameter program: its path, or its name to be looked for on `PATH`.
    public convenience init(program: String, _ words: [String], keepsErrors: Bool = false) throws {
        try self.init(path: program, [program] + words, keepsErrors: keepsErrors)
    }

    /// The folder of what was built, the tests themselves among it.
    public static func productsFolder() throws -> String {
        let own = try ownPath()
        return String(own[..<(own.lastIndex(of: "/") ?? own.startIndex)])
    }

    /// Starts this test executable once more, to run one test that is a process of its own.
    ///
    /// - Parameters:
    ///   - test: the test's name, as `--filter` takes it.
    ///   - variables: `NAME=value`, beside those of our own environment. One of them enables the test.
    public convenience init(test: String, variables: [String]) throws {
        let own = try Self.ownPath()
        let words = [own, "--testing-library", "swift-testing", "--filter", test]
        try self.init(path: own, words, keepsErrors: false, variables: variables)
    }

    private static func ownPath() throws -> String {
        var path = [CChar](repeating: 0, count: 4096)
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { throw Failure(reason: "no path of our own") }
        return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private init(path: String, _ words: [String], keepsErrors: Bool, variables: [String] = []) throws {
        var outputs: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        guard pipe(&outputs) == 0, pipe(&errors) == 0 else { throw Failure(reason: "no pipe") }
        for descriptor in outputs + errors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
        if keepsErrors { posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO) }
        let arguments = words.map { strdup($0) } + [nil]
        let added = variables.map { strdup($0) }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for argument in arguments + added { free(argument) }
        }
        var environment: [UnsafeMutablePointer<CChar>?] = added
        var next = environ
        while let variable = next.pointee {
            environment.append(variable)
            next += 1
        }
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, path, &actions, nil, arguments, environment + [nil])
        close(outputs[1])
        close(errors[1])
        guard status == 0 else {
            close(outputs[0])
            close(errors[0])
            throw Failure(reason: "cannot start \(path): error \(status)")
        }
        self.pid = pid
        output = outputs[0]
        self.errors = errors[0]
    }

    deinit {
        // A test that failed half-way leaves nothing behind either.
        if !hasEnded.withLock({ $0 }) {
            kill(pid, SIGKILL)
            _ = Self.reap(pid)
        }
        close(output)
        close(errors)
    }

    /// The next bytes of standard output, empty at its end. Waited for on a thread that no test needs.
    public func read() async -> [UInt8] {
        let output = output
        return await OwnThread.run { Self.chunk(output) }
    }

    /// Reads both outputs to their ends and waits for the process.
    public func end() async -> (status: Int32, output: String, errors: String) {
        let (output, errors) = (output, errors)
        async let text = OwnThread.run { Self.all(output) }
        async let complaints = OwnThread.run { Self.all(errors) }
        let read = await (text, complaints)
        return (await wait(), read.0, read.1)
    }

    /// Waits for the process to end.
    ///
    /// - Returns: its exit status; 128 and the signal's number when a signal ended it.
    @discardableResult
    public func wait() async -> Int32 {
        let pid = pid
        let status = await OwnThread.run { Self.reap(pid) }
        hasEnded.withLock { $0 = true }
        return status
    }

    private static func reap(_ pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    /// Sends a signal.
    public func signal(_ number: Int32) {
        kill(pid, number)
    }

    private static func all(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        while true {
            let next = chunk(descriptor)
            if next.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += next
        }
    }

    private static func chunk(_ descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return Array(bytes.prefix(max(count, 0)))
        }
    }
}
