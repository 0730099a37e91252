import CSodium

/// Key material: one copy in ``SecretMemory``, compared in constant time, zeroed when the last reference goes.
///
/// It has no description of its own, so it can not end up in a log by interpolation.
package final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    // Unchecked because a pointer is not Sendable. The memory is written in `init` before any other reference exists, and
    // only read until `deinit`, which runs when no reference is left.
    private let base: UnsafeMutablePointer<UInt8>
    package let count: Int

    /// Copies `bytes`; the caller zeroes its own copy.
    package init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        base = SecretMemory.allocate(count)
        bytes.withBytes { base.update(from: $0, count: $1) }
    }

    /// `count` bytes from the system's generator.
    package init(random count: Int) {
        Sodium.ready()
        self.count = count
        base = SecretMemory.allocate(count)
        randombytes_buf(base, count)
    }

    deinit {
        SecretMemory.deallocate(base, count)
    }

    package func withBytes<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
        try body(base)
    }

    /// Calls `body` with the bytes as a collection that must not leave it.
    package func withBuffer<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        try body(UnsafeBufferPointer(start: base, count: count))
    }

    /// A copy, for handing the secret to its owner. Whoever takes it zeroes it.
    func copy() -> [UInt8] {
        withBuffer { Array($0) }
    }

    /// Whether both hold the same bytes, in a time that depends on the length only.
    package func isEqual(to other: SecretBytes) -> Bool {
        count == other.count && sodium_memcmp(base, other.base, count) == 0
    }

    package var description: String { "secret" }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.isEqual(to: right)
    }
}
