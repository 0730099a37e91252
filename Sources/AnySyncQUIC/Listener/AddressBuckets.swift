internal import AnySyncNet
internal import AnySyncWire

/// One ``TokenBucket`` for each address, of IPv6 for each /64, in a fixed amount of memory: addresses share buckets by
/// a hash that nobody outside can foresee.
struct AddressBuckets {
    private var buckets: [TokenBucket]

    init(perSecond: Int, now: MonotonicTime) {
        buckets = Array(repeating: TokenBucket(perSecond: perSecond, now: now), count: Self.count)
    }

    private static let count = 4096

    /// Takes one of an address's tokens; `false` when it has none now.
    mutating func take(_ address: SocketAddress, now: MonotonicTime) -> Bool {
        var hasher = Hasher()
        address.withPointer { pointer in
            let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(pointer), count: Self.longestAddress)
            // The family says where the address stands: in sockaddr_in at 4, in sockaddr_in6 at 8.
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: address.isIPv6 ? bytes[8..<16] : bytes[4..<8]))
        }
        let index = Int(UInt(bitPattern: hasher.finalize()) % UInt(Self.count))
        return buckets[index].take(now: now)
    }

    private static let longestAddress = 28
}
