/// 32 bytes held inline: a key or a hash that costs no allocation.
///
/// Four words, not a SIMD32 or SIMD4: the compiler (Swift 6.3.1) lays a spilled 256-bit vector out with 32-byte alignment in
/// an async function's frame, whose size it takes for 16, so the frame runs into the memory beside it.
package struct Bytes32: Hashable, Sendable {
    /// The number of bytes.
    package static let count = 32

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Copies the first 32 of `bytes`; those that are missing are zero.
    package init(_ bytes: some Collection<UInt8>) {
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes.prefix(Self.count)) }
    }

    /// Calls `body` with the 32 bytes.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withUnsafeBytes(of: words, body)
    }

    /// Calls `body` with a pointer to the 32 bytes.
    package func withPointer<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
        try withUnsafePointer(to: words) { words in
            try words.withMemoryRebound(to: UInt8.self, capacity: Self.count, body)
        }
    }

    /// The first 8 bytes, which spread as well as all of them where the bytes are a hash.
    package var prefix: UInt64 { words.0 }

    package static func == (left: Bytes32, right: Bytes32) -> Bool {
        left.words == right.words
    }

    // In one step; word by word costs the hasher four.
    package func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: $0) }
    }
}
