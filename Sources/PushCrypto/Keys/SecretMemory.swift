import CSodium
import Locks

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Memory for keys, apart from all other memory: no core dump holds it and, as far as the system lets a process lock memory
/// (RLIMIT_MEMLOCK), it is never swapped out. Whatever is given back is zeroed first.
///
/// Keys share pages, for a page of its own for each, with guards around it, would cost three of them for 32 bytes. Pages are
/// kept for later keys once they were needed.
package enum SecretMemory {
    /// How much memory there is for keys, in bytes.
    package struct Status: Hashable, Sendable {
        /// All that was taken from the system and is kept.
        package var reserved = 0
        /// Of that, what is locked.
        package var locked = 0
    }

    // Small enough that the smallest limit in use, 64 KiB, locks more than a thousand keys.
    private static let slabByteCount = 16 << 10
    private static let smallest = 32
    private static let largest = 4 << 10

    private static let pools = SystemLock(Pools())

    /// What there is now.
    package static var status: Status { pools.withLock { $0.status } }

    /// Room for `count` bytes, all zero.
    static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        let size = roundedUp(count)
        let address = pools.withLock { $0.take(size) }
        // Without memory there is nothing to go on with; the standard library's own allocation ends the process too.
        guard let pointer = UnsafeMutablePointer<UInt8>(bitPattern: address) else {
            preconditionFailure("no memory is left for a key")
        }
        return pointer
    }

    /// Zeroes and gives back room for `count` bytes.
    static func deallocate(_ pointer: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let size = roundedUp(count)
        sodium_memzero(pointer, size)
        pools.withLock { $0.give(UInt(bitPattern: pointer), size) }
    }

    /// The size of the piece that holds `count` bytes: a power of two, or whole slabs.
    private static func roundedUp(_ count: Int) -> Int {
        guard count <= largest else { return (count + slabByteCount - 1) / slabByteCount * slabByteCount }
        var size = smallest
        while size < count { size *= 2 }
        return size
    }

    /// Free pieces by size. Addresses are numbers here, for the lock hands out nothing that it guards.
    private struct Pools {
        var status = Status()
        private var free: [Int: [UInt]] = [:]

        /// A piece of `size` bytes; 0 when the system has no memory.
        mutating func take(_ size: Int) -> UInt {
            if let piece = free[size]?.popLast() { return piece }
            let slab = map(max(size, slabByteCount))
            guard slab != 0, size < slabByteCount else { return slab }
            free[size, default: []].append(
                contentsOf: stride(from: size, to: slabByteCount, by: size).map { slab + UInt($0) })
            return slab
        }

        mutating func give(_ piece: UInt, _ size: Int) {
            free[size, default: []].append(piece)
        }

        private mutating func map(_ byteCount: Int) -> UInt {
            guard
                let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                memory != MAP_FAILED
            else { return 0 }
            status.reserved += byteCount
            #if os(Linux)
                _ = madvise(memory, byteCount, Int32(MADV_DONTDUMP))
            #endif
            if mlock(memory, byteCount) == 0 { status.locked += byteCount }
            return UInt(bitPattern: memory)
        }
    }
}
