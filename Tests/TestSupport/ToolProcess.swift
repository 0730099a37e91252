import Dispatch
import Glibc
import Locks

/// The built tool `any` as a process of its own. Foundation's `Process` reads past the end of directory entries, which
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
    public init(_ words: [String], keepsErrors: Bool = false) throws {
        var path = [CChar](repeating: 0, count: 4096)
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { throw Failure(reason: "no path of our own") }
        let own = path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let folder = String(decoding: own[..<(own.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self)
        var outputs: [Int32] = [-1, -1]
        var errors: [Int32] = [-1, -1]
        guard pipe(&outputs) == 0, pipe(&errors) == 0 else { throw Failure(reason: "no pipe") }
        for descriptor in outputs + errors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], STDOUT_FILENO)
        if keepsErrors { posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO) }
        let arguments = (["any"] + words).map { strdup($0) } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for argument in arguments { free(argument) }
        }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, folder + "/any", &actions, nil, arguments, environ)
        close(outputs[1])
        close(errors[1])
        guard status == 0 else {
            close(outputs[0])
            close(errors[0])
            throw Failure(reason: "cannot start \(folder)/any: error \(status)")
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
        return await Self.onOwnThread { Self.chunk(output) }
    }

    /// Reads both outputs to their ends and waits for the process.
    public func end() async -> (status: Int32, output: String, errors: String) {
        let (output, errors) = (output, errors)
        async let text = Self.onOwnThread { Self.all(output) }
        async let complaints = Self.onOwnThread { Self.all(errors) }
        let read = await (text, complaints)
        return (await wait(), read.0, read.1)
    }

    /// Waits for the process to end.
    ///
    /// - Returns: its exit status; 128 and the signal's number when a signal ended it.
    @discardableResult
    public func wait() async -> Int32 {
        let pid = pid
        let status = await Self.onOwnThread { Self.reap(pid) }
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

    private static func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
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
