import Glibc

/// Ports of 127.0.0.1 that refuse whoever dials them, and that no other program can take while the tests run.
public enum RefusedPort {
    /// A port that is bound and not listened on.
    public static let tcp = take(Int32(SOCK_STREAM.rawValue))
    /// A port whose socket hears only itself.
    public static let udp = take(Int32(SOCK_DGRAM.rawValue))

    // The descriptor stays open until the process ends.
    private static func take(_ type: Int32) -> UInt16 {
        let descriptor = socket(AF_INET, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                bind(descriptor, name, length) == 0 && getsockname(descriptor, name, &length) == 0
                    && (type == Int32(SOCK_STREAM.rawValue) || connect(descriptor, name, length) == 0)
            }
        }
        precondition(isBound, "no port to bind")
        return UInt16(bigEndian: address.sin_port)
    }
}
