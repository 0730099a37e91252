import Glibc

/// The part of an address that one caller cannot have many of: an IPv4 address, or the /64 of an IPv6 one.
struct CallerHost: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The host of a socket address such as `192.0.2.1:4430` or `[2001:db8::1]:4430`; `nil` when it is none, and for
    /// loopback: a proxy on this machine speaks for many.
    init?(_ address: String) {
        guard let colon = address.lastIndex(of: ":") else { return nil }
        var host = address[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
            // A zone says which link, not who.
            if let zone = host.firstIndex(of: "%") { host = host[..<zone] }
        }
        guard let bytes = Self.ipv4(String(host)) ?? Self.ipv6(String(host)) else { return nil }
        guard bytes.count == 4 ? bytes[0] != 127 : bytes != Self.loopback else { return nil }
        self.bytes = bytes.count == 4 ? bytes : Array(bytes.prefix(8))
    }

    private static let loopback = [UInt8](repeating: 0, count: 15) + [1]
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]

    private static func ipv4(_ text: String) -> [UInt8]? {
        var address = in_addr()
        guard inet_pton(AF_INET, text, &address) == 1 else { return nil }
        return withUnsafeBytes(of: address) { Array($0) }
    }

    // An IPv4 address in IPv6 form is the IPv4 address (RFC 4291 §2.5.5.2).
    private static func ipv6(_ text: String) -> [UInt8]? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: address) { Array($0) }
        return bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }
}
