internal import Glibc

/// The name of a Unix socket in the file system.
struct UnixSocketFile {
    let path: String

    /// The path as the system's calls take it.
    var name: sockaddr_un {
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return name
    }

    /// Takes away the socket that a server left which was killed.
    ///
    /// - Throws: ``HTTPServerError/socketPathTaken(_:)`` when a server answers there, or what is there is no socket.
    func clear() throws(HTTPServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid(), !isServed else {
            throw .socketPathTaken(path)
        }
        unlink(path)
    }

    /// Lets nobody but the owner connect.
    func restrict() throws(HTTPServerError) {
        guard chmod(path, 0o600) == 0 else {
            throw .system(operation: "restricting \(path) to its owner", error: SystemCall.lastError)
        }
    }

    /// Takes the name away, for a server that has ended.
    func remove() {
        unlink(path)
    }

    private var isServed: Bool {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var name = name
        let status = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return status == 0 || errno != ECONNREFUSED
    }
}
