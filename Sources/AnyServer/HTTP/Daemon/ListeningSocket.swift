internal import Glibc

/// A socket that listens on the loopback interface or in the file system. It closes itself unless ``release()`` has handed it over.
struct ListeningSocket: ~Copyable {
    /// -1 once it was handed over.
    private var descriptor: Int32
    /// Where it listens, with the port that the system picked if none was asked for.
    let address: ListenAddress

    /// How many connections may wait to be accepted; the system caps it at `net.core.somaxconn`.
    private static let backlog: Int32 = 4096

    /// Binds and listens.
    ///
    /// - Throws: ``HTTPServerError/system(operation:error:)``, with `EADDRINUSE` when the port is taken.
    init(_ address: ListenAddress) throws(HTTPServerError) {
        let family =
            switch address.host {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        if let path = address.socketPath { try UnixSocketFile(path: path).clear() }
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, flags, 0)
        guard descriptor >= 0 else { throw Self.failure("opening a socket") }
        var port: UInt16?
        do throws(HTTPServerError) {
            if address.socketPath == nil { try Self.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR) }
            if case .ipv6 = address.host { try Self.setOption(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY) }
            try Self.bind(descriptor, to: address)
            // Before it listens, nobody can connect.
            if let path = address.socketPath { try UnixSocketFile(path: path).restrict() }
            guard listen(descriptor, Self.backlog) == 0 else { throw Self.failure("listening on \(address)") }
            if address.socketPath == nil { port = try Self.port(of: descriptor) }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.address = address.with(port: port ?? address.port)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Hands the descriptor to an owner that closes it.
    consuming func release() -> Int32 {
        let handedOver = descriptor
        descriptor = -1
        return handedOver
    }

    private static func bind(_ descriptor: Int32, to address: ListenAddress) throws(HTTPServerError) {
        let status: Int32
        switch address.host {
        case .ipv4(let a, let b, let c, let d):
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = address.port.bigEndian
            name.sin_addr.s_addr = (UInt32(a) << 24 | UInt32(b) << 16 | UInt32(c) << 8 | UInt32(d)).bigEndian
            status = bind(descriptor, to: &name)
        case .ipv6:
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = address.port.bigEndian
            name.sin6_addr = in6addr_loopback
            status = bind(descriptor, to: &name)
        case .unix(let path):
            var name = UnixSocketFile(path: path).name
            status = bind(descriptor, to: &name)
        }
        guard status == 0 else { throw failure("binding \(address)") }
    }

    private static func bind<Name>(_ descriptor: Int32, to name: inout Name) -> Int32 {
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                Glibc.bind(descriptor, name, socklen_t(MemoryLayout<Name>.size))
            }
        }
    }

    private static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32) throws(HTTPServerError) {
        var one: Int32 = 1
        guard setsockopt(descriptor, level, name, &one, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw failure("setting a socket option")
        }
    }

    private static func port(of descriptor: Int32) throws(HTTPServerError) -> UInt16 {
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let status = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { throw failure("asking for a socket's address") }
        // Both families keep the port in the same place.
        return UInt16(bigEndian: name.sin6_port)
    }

    private static func failure(_ operation: String) -> HTTPServerError {
        .system(operation: operation, error: SystemCall.lastError)
    }
}
