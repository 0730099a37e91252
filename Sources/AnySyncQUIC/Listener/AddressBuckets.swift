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
        let index = Int(UInt(bitPattern: AddressGroup(address).hashValue) % UInt(Self.count))
        return buckets[index].take(now: now)
    }
}
