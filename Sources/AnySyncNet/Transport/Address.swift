/// Where a peer listens (protocol.md §5): `yamux://host:port`, `tls+yamux://host:port`, `quic://host:port`, or bare
/// `host:port`. An IPv6 address stands in brackets.
public struct Address: Hashable, Sendable, CustomStringConvertible {
    /// The transport, or `nil` for a bare address, which tries what is available, encrypted first.
    public let kind: ConnectionKind?
    /// A name or an IP address, without brackets.
    public let host: String
    /// The port; 0 only makes sense for listening.
    public let port: UInt16

    /// An address from its parts.
    public init(kind: ConnectionKind?, host: String, port: UInt16) {
        self.kind = kind
        self.host = host
        self.port = port
    }

    /// Parses an address.
    ///
    /// - Throws: ``AddressFormatError``.
    public init(_ text: String) throws(AddressFormatError) {
        var rest = Substring(text)
        var kind: ConnectionKind?
        if let separator = rest.firstRange(of: "://") {
            let scheme = rest[..<separator.lowerBound]
            guard let known = ConnectionKind(rawValue: String(scheme)) else {
                throw AddressFormatError(text: text, problem: .unknownScheme(String(scheme)))
            }
            kind = known
            rest = rest[separator.upperBound...]
        }
        let (host, port) = try Self.split(rest, of: text)
        self.init(kind: kind, host: host, port: port)
    }

    /// The same host and port under another kind.
    public func with(kind: ConnectionKind) -> Address {
        Address(kind: kind, host: host, port: port)
    }

    /// The address as text; parses back to the same value.
    public var description: String {
        let scheme = kind.map { "\($0.rawValue)://" } ?? ""
        return scheme + hostAndPort
    }

    /// `host:port`, an IPv6 address in brackets.
    public var hostAndPort: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func split(
        _ rest: Substring, of text: String
    ) throws(AddressFormatError) -> (host: String, port: UInt16) {
        func fail(_ problem: AddressFormatError.Problem) -> AddressFormatError {
            AddressFormatError(text: text, problem: problem)
        }
        let host: Substring
        let tail: Substring
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]") else { throw fail(.unclosedBracket) }
            host = rest[rest.index(after: rest.startIndex)..<end]
            tail = rest[rest.index(after: end)...]
            guard host.contains(":") else { throw fail(.badHost(String(host))) }
        } else {
            guard let colon = rest.firstIndex(of: ":") else { throw fail(.missingPort) }
            host = rest[..<colon]
            tail = rest[colon...]
            guard tail.dropFirst().firstIndex(of: ":") == nil else { throw fail(.bareIPv6) }
        }
        guard tail.first == ":" else { throw fail(.missingPort) }
        guard isHost(host) else { throw fail(.badHost(String(host))) }
        let digits = tail.dropFirst()
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits)
        else { throw fail(.badPort(String(digits))) }
        return (String(host), port)
    }

    // Names and addresses only: no path, query, user or space may hide in an address that ends up in a log or a
    // resolver.
    private static func isHost(_ host: Substring) -> Bool {
        guard !host.isEmpty, host.utf8.count <= 255 else { return false }
        return host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
                true
            default: false
            }
        }
    }
}

/// Why a text is no ``Address``.
public struct AddressFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was parsed.
    public let text: String
    /// What is wrong with it.
    public let problem: Problem

    /// What can be wrong with an address.
    public enum Problem: Hashable, Sendable {
        case unknownScheme(String)
        case unclosedBracket
        case bareIPv6
        case missingPort
        case badPort(String)
        case badHost(String)
    }

    public var description: String {
        let reason =
            switch problem {
            case .unknownScheme(let scheme):
                "unknown scheme \"\(scheme)\", expected "
                    + ConnectionKind.allCases.map(\.rawValue).joined(separator: ", ") + " or none"
            case .unclosedBracket: "the bracket before the IPv6 address is not closed"
            case .bareIPv6: "an IPv6 address must stand in brackets, as in [::1]:443"
            case .missingPort: "the port is missing, expected host:port"
            case .badPort(let port): "\"\(port)\" is no port, expected 0 to 65535"
            case .badHost(let host): "\"\(host)\" is no host name or IP address"
            }
        return "address \"\(text)\": \(reason)"
    }
}
