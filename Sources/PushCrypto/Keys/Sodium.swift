import CSodium

/// libsodium, initialised once for the process.
package enum Sodium {
    /// Whether `sodium_init` succeeded; everything in this module goes through ``ready()``.
    private static let initialised = sodium_init() >= 0

    /// Makes sure that libsodium has picked its implementations.
    @inline(__always)
    package static func ready() {
        // Only fails when the system has no randomness at all, and then the process must not go on with weak keys.
        precondition(initialised, "libsodium could not be initialised: the system offers no random numbers")
    }

    /// `count` bytes from the system's generator.
    package static func random(_ count: Int) -> [UInt8] {
        ready()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            if let base = buffer.baseAddress { randombytes_buf(base, count) }
            filled = count
        }
    }

    /// Overwrites `bytes` with zeros in a way that the compiler can not drop.
    package static func zero(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { sodium_memzero(base, buffer.count) }
        }
    }

    /// An array of `count` bytes that `fill` writes, and what `fill` returned.
    package static func make(_ count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int32) -> (
        bytes: [UInt8], status: Int32
    ) {
        ready()
        var status: Int32 = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, filled in
            buffer.initialize(repeating: 0)
            if let base = buffer.baseAddress { status = fill(base) }
            filled = count
        }
        return (bytes, status)
    }
}

extension Collection<UInt8> {
    /// Calls `body` with the bytes side by side and their count, copying only a collection that does not store them so,
    /// and zeroing the copy, which may be of a secret.
    /// The pointer is never null, which C functions need even for no bytes.
    @inline(__always)
    func withBytes<R>(_ body: (UnsafePointer<UInt8>, Int) throws -> R) rethrows -> R {
        func call(_ buffer: UnsafeBufferPointer<UInt8>) throws -> R {
            if let base = buffer.baseAddress { return try body(base, buffer.count) }
            var nothing: UInt8 = 0
            return try body(&nothing, 0)
        }
        if let result = try withContiguousStorageIfAvailable(call) { return result }
        var copy = Array(self)
        defer { Sodium.zero(&copy) }
        return try copy.withUnsafeBufferPointer(call)
    }
}
