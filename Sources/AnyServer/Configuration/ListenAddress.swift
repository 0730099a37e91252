/// Where the HTTP server listens: a loopback address and a port. Everything else is refused, since whoever reaches the
/// server is its owner to it.
public struct ListenAddress: Hashable, Sendable {
    /// Why a text is no address to listen at.
    public enum Failure: Error, Hashable, Sendable {
        /// Not of the form `host:port`.
        case malformed
        /// The address can be reached from other machines.
        case notLoopback
    }

    /// `127.0.0.1:7001`.
    public static let standard = ListenAddress(host: "127.0.0.1", port: 7001)

    /// An IPv4 address of 127.0.0.0/8, `::1` without brackets, or `localhost`.
    public let host: String
    /// The port; 0 lets the system choose.
    public let port: UInt16

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port`, with brackets around an IPv6 address.
    ///
    /// - Throws: ``Failure``.
    public init(_ text: String) throws(Failure) {
        guard let colon = text.lastIndex(of: ":") else { throw .malformed }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformed
        }
        guard let port = UInt16(digits) else { throw .malformed }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw .malformed
        }
        guard !host.isEmpty else { throw .notLoopback }
        guard host == "localhost" || host == "::1" || Self.isLoopback(host) else { throw .notLoopback }
        self.init(host: String(host), port: port)
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { (1...3).contains($0.utf8.count) && UInt8($0) != nil && !$0.hasPrefix("+") }
    }
}

extension ListenAddress: CustomStringConvertible {
    /// `host:port`.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
