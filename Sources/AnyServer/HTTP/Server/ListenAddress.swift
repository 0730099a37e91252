/// Where a server listens: an address of the loopback interface and a port.
struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address family, with the address that it needs.
    enum Host: Hashable, Sendable {
        /// 127.0.0.0/8, as its four bytes.
        case ipv4(UInt8, UInt8, UInt8, UInt8)
        /// ::1.
        case ipv6
    }

    let host: Host
    /// 0 for one that the system picks.
    let port: UInt16

    /// 127.0.0.1 with a port.
    init(port: UInt16) {
        self.init(host: .ipv4(127, 0, 0, 1), port: port)
    }

    init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:7001`, `[::1]:7001` or `localhost:7001`.
    ///
    /// - Throws: ``HTTPServerError/invalidAddress(_:)`` for other text, ``HTTPServerError/notLoopback(_:)`` for another
    ///   host, no host at all included, which elsewhere means every interface.
    init(_ text: String) throws(HTTPServerError) {
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

    var description: String {
        switch host {
        case .ipv4(let a, let b, let c, let d): "\(a).\(b).\(c).\(d):\(port)"
        case .ipv6: "[::1]:\(port)"
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
