import Glibc
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

@Suite struct ServerLockTests {
    private let folder: TemporaryDirectory
    private var directory: AccountDirectory { AccountDirectory(path: folder.path("account")) }

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test func aServerMakesItsDirectoryAndNamesItself() throws {
        let lock = try ServerLock(directory)
        #expect(
            try folder.names(in: "account") == ["files", "index", "sdk", "server.lock", "server.pid", "start-anew"])
        for name in [".", "files", "index", "sdk"] { #expect(folder.mode("account/\(name)") == 0o700) }
        #expect(try folder.text("account/server.pid") == "\(getpid())\n")
        try lock.announce(address: "127.0.0.1:4711")
        #expect(try folder.text("account/server.addr") == "127.0.0.1:4711\n")
        #expect(
            try RunningServer.find(in: directory)
                == RunningServer(processId: getpid(), address: "127.0.0.1:4711")
        )
        lock.release()
    }

    @Test func aSecondServerIsToldWhoTheFirstIs() throws {
        let lock = try ServerLock(directory)
        try lock.announce(address: "127.0.0.1:4711")
        let error = #expect(throws: ServerLock.Failure.self) { try ServerLock(directory) }
        #expect(
            error == .inUse(directory: directory.path, RunningServer(processId: getpid(), address: "127.0.0.1:4711")))
        let text = "\(try #require(error))"
        #expect(text.contains("process \(getpid())") && text.contains("at 127.0.0.1:4711"))
        // The second has taken nothing from the first.
        #expect(try folder.names(in: "account").contains("server.addr"))
        lock.release()
    }

    @Test func aServerThatStopsLeavesNothingButTheLockFile() throws {
        let lock = try ServerLock(directory)
        try lock.announce(address: "127.0.0.1:4711")
        lock.release()
        lock.release()
        try lock.announce(address: "127.0.0.1:4712")
        #expect(try folder.names(in: "account") == ["files", "index", "sdk", "server.lock", "start-anew"])
        #expect(try RunningServer.find(in: directory) == nil)
        let next = try ServerLock(directory)
        lock.release()
        #expect(try RunningServer.find(in: directory)?.processId == getpid())
        next.release()
    }

    @Test func aLockThatIsLetGoIsFree() throws {
        do { _ = try ServerLock(directory) }
        _ = try ServerLock(directory)
    }

    @Test func whatAKilledServerLeftIsReplaced() throws {
        try directory.create()
        try folder.write("1\n", to: "account/server.pid")
        try folder.write("127.0.0.1:1\n", to: "account/server.addr")
        try folder.write("", to: "account/server.lock")
        #expect(try RunningServer.find(in: directory) == nil)
        let lock = try ServerLock(directory)
        #expect(try RunningServer.find(in: directory) == RunningServer(processId: getpid(), address: nil))
        #expect(try !folder.names(in: "account").contains("server.addr"))
        lock.release()
    }

    @Test func anotherProcessHoldsTheDirectoryUntilItIsKilled() throws {
        try directory.create()
        let holder = try LockHolder(path: directory.lockPath)
        try folder.write("\(holder.processId)\n", to: "account/server.pid")
        try folder.write("127.0.0.1:4711\n", to: "account/server.addr")
        let server = RunningServer(processId: holder.processId, address: "127.0.0.1:4711")
        #expect(try RunningServer.find(in: directory) == server)
        #expect(throws: ServerLock.Failure.inUse(directory: directory.path, server)) { try ServerLock(directory) }
        holder.kill()
        #expect(try RunningServer.find(in: directory) == nil)
        try ServerLock(directory).release()
    }

    @Test(arguments: [
        ("", nil as Int32?), ("x\n", nil), ("-5\n", nil), ("0\n", nil), ("12", nil), ("12\n", 12),
        ("99999999999\n", nil),
        (String(repeating: "1", count: 100) + "\n", nil),
    ])
    func aBrokenProcessIdIsNone(text: String, expected: Int32?) throws {
        try directory.create()
        try folder.write(text, to: "account/server.pid")
        #expect(RunningServer(namedIn: directory).processId == expected)
    }

    @Test func anAddressWithControlCharactersIsNone() throws {
        try directory.create()
        try folder.write("127.0.0.1:1\u{1b}[2J\n", to: "account/server.addr")
        #expect(RunningServer(namedIn: directory).address == nil)
    }

    @Test func whoeverLooksKeepsNoServerOut() throws {
        try directory.create()
        try folder.write("", to: "account/server.lock")
        let looking = open(directory.lockPath, O_RDONLY)
        try #require(flock(looking, LOCK_SH | LOCK_NB) == 0)
        var pauses = 0
        let isLocked =
            try FolderLock.take(directory.lockPath) {
                pauses += 1
                if pauses == 3 { close(looking) }
            } != nil
        #expect(isLocked)
        #expect(pauses == 3)
    }

    @Test func whoeverLooksForEverIsNotWaitedFor() throws {
        try directory.create()
        try folder.write("", to: "account/server.lock")
        let looking = open(directory.lockPath, O_RDONLY)
        defer { close(looking) }
        try #require(flock(looking, LOCK_SH | LOCK_NB) == 0)
        #expect(throws: ServerLock.Failure.self) { try ServerLock(directory) }
    }

    @Test func ofManyServersAtOnceOneGetsTheDirectory() async throws {
        let directory = directory
        try directory.create()
        let looking = Task.detached { while !Task.isCancelled { _ = try? RunningServer.find(in: directory) } }
        defer { looking.cancel() }
        let locks = await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { try? ServerLock(directory) } }
            return await group.reduce(into: [ServerLock]()) { locks, lock in if let lock { locks.append(lock) } }
        }
        #expect(locks.count == 1)
    }

    @Test func aLockFileThatIsALinkIsNotFollowed() throws {
        try directory.create()
        symlink(folder.path("elsewhere"), directory.lockPath)
        #expect(throws: ServerLock.Failure.file(.notARegularFile(path: directory.lockPath))) {
            try ServerLock(directory)
        }
        #expect(try folder.names() == ["account"])
    }
}

/// Another process that holds a lock: util-linux's `flock`, which becomes `cat` once it has it.
private final class LockHolder {
    let processId: pid_t
    private let input: CInt

    init(path: String) throws {
        var toChild: [CInt] = [0, 0]
        var fromChild: [CInt] = [0, 0]
        try #require(pipe(&toChild) == 0 && pipe(&fromChild) == 0)
        for descriptor in toChild + fromChild { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        let words: [String] = ["flock", "--no-fork", "-x", "-n", path, "cat"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        try #require(posix_spawnp(&pid, "flock", &actions, nil, &arguments, nil) == 0)
        processId = pid
        input = toChild[1]
        close(toChild[0])
        close(fromChild[1])
        defer { close(fromChild[0]) }
        // An echo means that cat runs, and so that the lock is held.
        var byte: UInt8 = 7
        try #require(write(input, &byte, 1) == 1)
        try #require(read(fromChild[0], &byte, 1) == 1)
    }

    deinit {
        kill()
        close(input)
    }

    func kill() {
        Glibc.kill(processId, SIGKILL)
        waitpid(processId, nil, 0)
    }
}
