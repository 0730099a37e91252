import AnyServer
import CProcess
import Glibc

/// `any stop`: ends a server.
enum StopCommand {
    static let command = Command.server(
        "stop", "Stop the server",
        discussion: """
            A managed server is asked over HTTP, with its control token. Any other one is stopped by a signal, which works
            for servers of this machine's user that `any run` started. Prints nothing, and ends when the server has ended.
            """
    ) { _, connection throws(CommandFailure) in
        let reply = try connection.send(ServerRequest(.post, "/v1/shutdown"))
        guard reply.errorCode == notManaged else {
            Console.show(try reply.value())
            return .success
        }
        guard let server = try LocalServer.find(), server.running.address == connection.address.description else {
            throw reply.refusal
        }
        try end(server, within: connection.timeout)
        return .success
    }

    private static let notManaged = "shutdown.not_managed"

    private static func end(_ server: LocalServer, within timeout: Duration) throws(CommandFailure) {
        guard let id = server.running.processId else {
            throw CommandFailure("the server has not said which process it is; try again")
        }
        let process = pidfd_open(id, 0)
        guard process >= 0 else { throw CommandFailure("cannot reach process \(id): \(text(errno))", code: .environment) }
        defer { close(process) }
        // The descriptor stands for one process. If the server still names it, it is the server's.
        guard try LocalServer.find()?.running == server.running else {
            throw CommandFailure("the server has just been replaced by another; try again")
        }
        guard isTool(id) else {
            throw CommandFailure("the server is a part of process \(id), which is another program; end that program")
        }
        guard pidfd_send_signal(process, SIGTERM, nil, 0) == 0 else {
            throw CommandFailure("cannot stop process \(id): \(text(errno))", code: .environment)
        }
        var ended = pollfd(fd: process, events: Int16(POLLIN), revents: 0)
        guard poll(&ended, 1, Int32(clamping: Int(timeout / .milliseconds(1)))) == 1 else {
            throw CommandFailure("process \(id) has not ended in time; give it more with --timeout", code: .unreachable)
        }
    }

    // A signal to a program that only embeds a server would end more than the server.
    private static func isTool(_ id: Int32) -> Bool {
        // Not the link to its program: a process that allows no core dump shows that to nobody but root.
        let file = open("/proc/\(id)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        // The kernel cuts names to 15 bytes and ends them with a line feed.
        var name = [UInt8](repeating: 0, count: 16)
        let count = read(file, &name, name.count)
        return count > 0 && name[..<count].elementsEqual("any\n".utf8)
    }

    private static func text(_ code: Int32) -> String {
        String(cString: strerror(code))
    }
}
