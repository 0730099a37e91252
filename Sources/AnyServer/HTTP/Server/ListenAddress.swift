/// Where a server listens: an address of the loopback interface and a port, or a Unix socket.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address family, with the address that it needs.
    enum Host: Hashable, Sendable {
        /// 127.0.0.0/8, as its four bytes.
        case ipv4(UInt8, UInt8, UInt8, UInt8)
        /// ::1.
        case ipv6
        /// A socket in the file system, which only its owner can connect to (mode 0600).
        case unix(path: String)
    }

    /// What stands before the path of a Unix socket.
    public static let unixPrefix = "unix:"
    /// The longest path that the system takes for a socket, in bytes (unix(7): 108 with the zero at the end).
    static let maximumPathByteCount = 107

    let host: Host
    /// 0 for one that the system picks, and for a Unix socket.
    public let port: UInt16

    /// 127.0.0.1 with a port.
    init(port: UInt16) {
        self.init(host: .ipv4(127, 0, 0, 1), port: port)
    }

    init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:7001`, `[::1]:7001`, `localhost:7001` or `unix:/run/user/1000/any.sock`.
    ///
    /// - Throws: ``HTTPServerError/invalidAddress(_:)`` for other text, ``HTTPServerError/notLoopback(_:)`` for another
    ///   host, no host at all included, which elsewhere means every interface, and
    ///   ``HTTPServerError/invalidSocketPath(_:)``.
    init(_ text: String) throws(HTTPServerError) {
        if text.hasPrefix(Self.unixPrefix) {
            let path = String(text.dropFirst(Self.unixPrefix.count))
            guard path.hasPrefix("/"), path.utf8.count <= Self.maximumPathByteCount, !path.utf8.contains(0) else {
                throw .invalidSocketPath(path)
            }
            self.init(host: .unix(path: path), port: 0)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { throw .invalidAddress(text) }
        let port = text[text.index(after: colon)...]
        guard !port.isEmpty, port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port) else {
            throw .invalidAddress(text)
        }
        let host = text[..<colon]
        switch host {
        case "localhost": self.init(port: number)
        case "[::1]": self.init(host: .ipv6, port: number)
        default:
            guard let address = Self.loopbackIPv4(host) else { throw .notLoopback(String(host)) }
            self.init(host: address, port: number)
        }
    }

    /// The same host with another port.
    func with(port: UInt16) -> ListenAddress {
        ListenAddress(host: host, port: port)
    }

    /// The path of a Unix socket, `nil` for a port.
    var socketPath: String? {
        if case .unix(let path) = host { path } else { nil }
    }

    public var description: String {
        switch host {
        case .ipv4(let a, let b, let c, let d): "\(a).\(b).\(c).\(d):\(port)"
        case .ipv6: "[::1]:\(port)"
        case .unix(let path): Self.unixPrefix + path
        }
    }

    private static func loopbackIPv4(_ text: Substring) -> Host? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part -> UInt8? in
            // No leading zeros: some read them as octal.
            guard let byte = UInt8(part), String(byte) == part else { return nil }
            return byte
        }
        guard parts.count == 4, bytes.count == 4, bytes[0] == 127 else { return nil }
        return .ipv4(bytes[0], bytes[1], bytes[2], bytes[3])
    }
}
