import AnySyncQUIC
import AnySyncWire

/// Seeds of the QUIC targets, which no golden vector holds.
enum QUICSeeds {
    /// A client hello, and headers of each kind.
    static func datagrams() -> [[UInt8]] {
        let hello = FirstContact.honest(now: MonotonicTime(nanoseconds: 1_000_000_000))
        let ids: [UInt8] = [8, 1, 2, 3, 4, 5, 6, 7, 8, 4, 9, 9, 9, 9]
        let padding = [UInt8](repeating: 0, count: 1200)
        func long(_ first: UInt8, _ version: [UInt8], _ rest: [UInt8]) -> [UInt8] {
            Array(([first] + version + ids + rest + padding).prefix(1200))
        }
        let ours: [UInt8] = [0, 0, 0, 1]
        return hello + [
            // A token that looks like a retry's, then a length.
            long(0xc3, ours, [0x40, 0x45, 0xb6] + [UInt8](repeating: 5, count: 0x44) + [0x44, 0x00]),
            // Early data, which must wait.
            long(0xd3, ours, [0x44, 0x00]),
            long(0xc3, [0x6b, 0x33, 0x43, 0xcf], [0, 0x44, 0x00]),
            long(0xc0, [0x1a, 0x2a, 0x3a, 0x4a], []),
            long(0x80, [0, 0, 0, 0], ours),
            [0x41] + [UInt8](repeating: 7, count: 40),
        ]
    }

    /// Scripts: an ordinary transfer, a bad network during the handshake, and everything at once.
    static func scripts() -> [[UInt8]] {
        [
            [1, 0x06, 0x28, 0x0e, 0x09, 0x0e, 0x10 | 0x06, 0x10 | 0x27, 0x0e, 0x0c, 0x0e],
            [0, 0x00, 0x03, 0x13, 0x8d, 0x02, 0x12, 0x44, 0x54, 0x0d, 0x8d, 0x0e, 0x06, 0x07, 0x0e],
            [1] + (0..<16).flatMap { [UInt8(0x06), 0xe8, UInt8($0 << 4 | 0x0d), UInt8($0 & 0x0f), 0x0e] },
        ]
    }
}
