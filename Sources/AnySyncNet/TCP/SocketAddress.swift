package import CUV
internal import Glibc

/// An IPv4 or IPv6 address with a port.
package struct SocketAddress: Sendable, CustomStringConvertible {
    private var storage: sockaddr_storage

    /// Parses an IP address, which needs no resolver; `nil` for a name. IPv6 comes without brackets, a zone is allowed.
    package init?(ip: String, port: UInt16) {
        storage = sockaddr_storage()
        let parsed = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { uv_ip4_addr(ip, Int32(port), $0) } == 0
                || storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { uv_ip6_addr(ip, Int32(port), $0) }
                    == 0
        }
        guard parsed else { return nil }
    }

    /// Copies an address of the system's; `nil` when it is of neither family.
    package init?(copying address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: length))
        }
    }

    /// Lets `fill` write the address; `nil` when it fails.
    package init?(filledBy fill: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32) {
        storage = sockaddr_storage()
        var length = Int32(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { fill($0, &length) }
        }
        guard status == 0 else { return nil }
    }

    package func withPointer<R>(_ body: (UnsafePointer<sockaddr>) -> R) -> R {
        withUnsafePointer(to: storage) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }

    /// The IP address, without brackets.
    package var host: String {
        let capacity = Int(INET6_ADDRSTRLEN)
        return withPointer { address in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { text in
                guard uv_ip_name(address, text.baseAddress, capacity) == 0, let start = text.baseAddress else {
                    return "?"
                }
                return String(cString: start)
            }
        }
    }

    /// Whether the address is of IPv6.
    package var isIPv6: Bool { storage.ss_family == sa_family_t(AF_INET6) }

    /// The port.
    package var port: UInt16 {
        withUnsafeBytes(of: storage) { bytes in
            // In both families the port stands after the family, big-endian.
            UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }

    /// The same host with another port.
    package func with(port: UInt16) -> SocketAddress {
        var changed = self
        withUnsafeMutableBytes(of: &changed.storage) { bytes in
            bytes[2] = UInt8(port >> 8)
            bytes[3] = UInt8(truncatingIfNeeded: port)
        }
        return changed
    }

    /// The addresses with the two families taking turns, the first one's first (RFC 8305 §4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let families = [first.isIPv6, !first.isIPv6].map { family in addresses.filter { $0.isIPv6 == family } }
        var turns: [SocketAddress] = []
        for index in 0..<max(families[0].count, families[1].count) {
            for family in families where index < family.count { turns.append(family[index]) }
        }
        return turns
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
