/// The addresses that count as one place: one IPv4 address, or the /64 of an IPv6 address, which is what one customer of a
/// provider is given (RFC 6177).
package struct AddressGroup: Hashable, Sendable, CustomStringConvertible {
    private let isIPv6: Bool
    private let prefix: UInt64

    /// The group of a socket's other end. An IPv4 address that an IPv6 socket shows as `::ffff:a.b.c.d` is that IPv4
    /// address.
    package init(_ address: SocketAddress) {
        (isIPv6, prefix) = address.withPointer { pointer in
            // The family says where the address stands: in sockaddr_in at 4, in sockaddr_in6 at 8.
            let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(pointer), count: 24)
            guard address.isIPv6 else { return (false, Self.number(bytes[4..<8])) }
            let isMapped = bytes[8..<18].allSatisfy { $0 == 0 } && bytes[18] == 0xff && bytes[19] == 0xff
            return isMapped ? (false, Self.number(bytes[20..<24])) : (true, Self.number(bytes[8..<16]))
        }
    }

    /// Whether it is this machine, where a proxy may speak for many.
    package var isLoopback: Bool {
        isIPv6 ? prefix == 0 : prefix >> 24 == 127
    }

    /// Where those are whose address is not known.
    static let unknown = AddressGroup(0)

    /// A place that a test makes up.
    init(_ number: UInt64) {
        (isIPv6, prefix) = (true, number)
    }

    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    package var description: String {
        let shifts = isIPv6 ? [48, 32, 16, 0] : [24, 16, 8, 0]
        guard isIPv6 else { return shifts.map { String(prefix >> $0 & 0xff) }.joined(separator: ".") }
        return shifts.map { String(prefix >> $0 & 0xffff, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
