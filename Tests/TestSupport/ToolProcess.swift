import FoundationEssentials
import Glibc
import Locks

/// The built tool `any`, or another program, as a process of its own. Foundation's `Process` reads past the end of
/// directory entries, which AddressSanitizer reports.
public final class ToolProcess: Sendable {
    /// Why a process could not be started.
    public struct Failure: Error {
        public let reason: String
    }

    let pid: pid_t
    /// The process's id.
    public var identifier: Int32 { pid }
    private let output: Int32
    private let errors: Int32
    private let hasEnded = SystemLock(false)
    private let usage = SystemLock(Duration.zero)

    /// Starts the tool, which is built beside the tests.
    ///
    /// - Parameters:
    ///   - keepsErrors: whether its standard error is read by ``end()`` too; otherwise it is ours.
    ///   - environment: its environment variables, beside a sanitizer's; ours when `nil`, but for those that `any` reads.
    ///     One that names no network has one of the tests'.
    ///   - input: what it reads from standard input, at most what a pipe holds (64 KiB); ours when `nil`.
    public convenience init(
        _ words: [String], keepsErrors: Bool = false, environment: [String: String]? = nil, input: [UInt8]? = nil
    ) throws {
        try self.init(
            path: Self.productsFolder() + "/any", ["any"] + words, keepsErrors: keepsErrors,
            variables: Self.variables(environment), input: input)
    }

    /// The variables of what a test starts, as `NAME=value`: none of those that `any` reads comes from whoever runs the
    /// tests, the network is one of the tests', and the C library's calls reach this machine only (`CLoopbackOnly`). So no
    /// process of a test gets to the production network's push node, whatever it is told.
    ///
    /// - Parameters:
    ///   - environment: what it has instead of our own variables; ours when `nil`.
    ///   - own: our own.
    public static func variables(
        _ environment: [String: String]? = nil, own: [String] = ToolProcess.ownVariables
    ) throws -> [String] {
        // A sanitizer in it is told what ours is told.
        var variables = own.filter { variable in
            environment == nil ? !variable.hasPrefix("ANY_") : variable.prefix { $0 != "=" }.hasSuffix("SAN_OPTIONS")
        }
        let network = [
            "ANY_NETWORK_NODECONF_PATH": Repository.root.appendingPathComponent("Tests/TestSupport/network.yml").path
        ]
        variables += network.merging(environment ?? [:]) { $1 }.map { "\($0)=\($1)" }
        guard !isSanitized else { return variables }
        variables.removeAll { $0.hasPrefix("LD_PRELOAD=") }
        return variables + ["LD_PRELOAD=\(try productsFolder())/libLoopbackOnly.so"]
    }

    /// Whether a sanitizer's runtime is in the process, which has to be the first library of all.
    public static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// Starts a program that is not ours, or not the tool.
    ///
    /// - Parameter program: its path, or its name to be looked for on `PATH`.
    public convenience init(program: String, _ words: [String], keepsErrors: Bool = false) throws {
        try self.init(
            path: program, [program] + words, keepsErrors: keepsErrors, variables: Self.variables(), input: nil)
    }

    /// Starts the tool by way of a shell, which sets up its descriptors or limits.
    ///
    /// - Parameters:
    ///   - words: of the tool, none of which means anything to a shell.
    ///   - redirections: what follows them, such as `2>&-`.
    ///   - before: what comes before the tool, such as `nohup`.
    public convenience init(shell words: [String], _ redirections: String, before: String = "") throws {
        let tool = try Self.productsFolder() + "/any"
        let line = (["exec", before, tool] + words + [redirections]).joined(separator: " ")
        try self.init(program: "sh", ["-c", line], keepsErrors: true)
    }

    /// Whether the process has a handler for a signal.
    public func hears(_ number: Int32) -> Bool {
        guard let file = fopen("/proc/\(pid)/status", "r") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("SigCgt:"), let mask = UInt64(text.dropFirst(7).filter(\.isHexDigit), radix: 16) else {
                continue
            }
            return mask & (1 << UInt64(number - 1)) != 0
        }
        return false
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
        try self.init(path: own, words, keepsErrors: false, variables: variables + Self.ownVariables, input: nil)
    }

    /// The environment of the tests.
    public static var ownVariables: [String] {
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        return variables
    }

    private static func ownPath() throws -> String {
        var path = [CChar](repeating: 0, count: 4096)
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { throw Failure(reason: "no path of our own") }
        return String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private init(path: String, _ words: [String], keepsErrors: Bool, variables: [String], input: [UInt8]?) throws {
        // One at a time: a process that inherits an end of another's pipe keeps its reader waiting.
        (pid, output, errors) = try Self.spawning.withLock { _ in
            try Self.spawn(path, words, keepsErrors: keepsErrors, variables: variables, input: input)
        }
    }

    // A state without bytes would share its address with the lock's own field, which a sanitizer takes for a race.
    private static let spawning = SystemLock(0)

    private static func spawn(
        _ path: String, _ words: [String], keepsErrors: Bool, variables: [String], input: [UInt8]?
    ) throws -> (pid_t, output: Int32, errors: Int32) {
        var outputs: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        guard pipe(&outputs) == 0, pipe(&errors) == 0 else { throw Failure(reason: "no pipe") }
        for descriptor in outputs + errors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
        if keepsErrors { posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO) }
        var ends: [Int32] = []
        if let input {
            var inputs: [Int32] = [-1, -1]
            guard input.count <= 65536, pipe(&inputs) == 0 else { throw Failure(reason: "no pipe for the input") }
            for descriptor in inputs { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            posix_spawn_file_actions_adddup2(&actions, inputs[0], STDIN_FILENO)
            let written = write(inputs[1], input, input.count)
            close(inputs[1])
            ends.append(inputs[0])
            guard written == input.count else { throw Failure(reason: "the input does not fit its pipe") }
        }
        let arguments = words.map { strdup($0) } + [nil]
        let environment = variables.map { strdup($0) } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for text in arguments + environment { free(text) }
            for descriptor in ends { close(descriptor) }
        }
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, path, &actions, nil, arguments, environment)
        close(outputs[1])
        close(errors[1])
        guard status == 0 else {
            close(outputs[0])
            close(errors[0])
            throw Failure(reason: "cannot start \(path): error \(status)")
        }
        return (pid, outputs[0], errors[0])
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

    /// Leaves the process without a reader of its standard output.
    public func closeOutput() {
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(nothing, output)
        close(nothing)
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
        let (status, time) = await OwnThread.run { Self.reap(pid) }
        hasEnded.withLock { $0 = true }
        usage.withLock { $0 = time }
        return status
    }

    /// The processor time that it took, user and system, once it has ended.
    public var processorTime: Duration { usage.withLock { $0 } }

    private static func reap(_ pid: pid_t) -> (status: Int32, time: Duration) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        let time = [usage.ru_utime, usage.ru_stime].reduce(Duration.zero) {
            $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec)
        }
        return (status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f, time)
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
