import Glibc
import Locks

/// Looks for bytes in the process's own memory, freed memory and stacks included.
///
/// The kernel reads the memory, so an address that another test unmaps meanwhile is an error of `pread` and no crash.
public struct MemoryScan {
    private static let chunkByteCount = 1 << 20
    // Sanitizers reserve terabytes that hold nothing.
    private static let largestRegion: UInt64 = 1 << 29
    /// Where scans that run now keep what they read: copies of everything, which are nobody's leftovers.
    private static let chunks = SystemLock<[ClosedRange<UInt64>]>([])

    /// Scans once for nothing: the first call of each function saves the processor's registers on the stack, and after what is
    /// tested a secret may be in one.
    public static func prepare() {
        _ = occurrences(of: [[UInt8](repeating: 0xA5, count: needleByteCount)])
    }

    /// How often the last 16 bytes of `secret` are found outside the memory of `secret` itself.
    ///
    /// The allocator writes its own notes over the beginning of freed memory; the end is what would be left of a copy.
    ///
    /// - Parameters:
    ///   - process: another process, whose memory this one may read; ours when `nil`.
    ///   - isWanted: which parts of the memory to look at, by the kernel's flags of them (proc(5), "VmFlags"): "dd" are those
    ///     that no core dump holds, "lo" those that are locked. All when `nil`.
    /// - Returns: `nil` where the system does not show a process its memory.
    public static func occurrences(
        of secret: [UInt8], in process: Int32? = nil, where isWanted: (([Substring]) -> Bool)? = nil
    ) -> Int? {
        occurrences(of: [secret], in: process, where: isWanted)?.first
    }

    /// The same for several secrets, in one pass through the memory.
    public static func occurrences(
        of secrets: [[UInt8]], in process: Int32? = nil, where isWanted: (([Substring]) -> Bool)? = nil
    ) -> [Int]? {
        let folder = process.map { "/proc/\($0)" } ?? "/proc/self"
        guard let maps = fopen(folder + (isWanted == nil ? "/maps" : "/smaps"), "r") else { return nil }
        defer { fclose(maps) }
        let memory = Glibc.open(folder + "/mem", O_RDONLY)
        guard memory >= 0 else { return nil }
        defer { close(memory) }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkByteCount, alignment: 16)
        let place = address(of: UnsafeRawBufferPointer(chunk))
        chunks.withLock { $0.append(place) }
        defer {
            // Zeroed by now, so that whoever finds something there finds it gone when looking again.
            chunks.withLock { $0.removeAll { $0 == place } }
            chunk.deallocate()
        }
        var regions: [ClosedRange<UInt64>] = []
        var current: UInt64 = 0
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), maps) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(separator: " ")
            if words[0] == "VmFlags:", let isWanted, let last = regions.last, last.lowerBound == current {
                let flags = words.dropFirst().map { $0.trimmingNewline }
                if !isWanted(flags) { regions.removeLast() }
                continue
            }
            let bounds = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            if bounds.count == 2 { current = bounds[0] }
            guard words.count > 1, words[1].hasPrefix("rw"), bounds.count == 2, bounds[1] - bounds[0] <= largestRegion
            else { continue }
            regions.append(bounds[0]...bounds[1] - 1)
        }
        // Where the secrets themselves are: an array's bytes stay where they are while the array lives.
        let places = secrets.map { secret in secret.withUnsafeBytes { address(of: $0) } }
        let own = process == nil ? places + [place] : []
        var found = [Int](repeating: 0, count: secrets.count)
        for region in regions {
            var start = region.lowerBound
            while start < region.upperBound {
                let wanted = min(chunk.count, Int(region.upperBound - start) + 1)
                let count = pread(memory, chunk.baseAddress, wanted, off_t(start))
                guard count >= needleByteCount else { break }
                for (index, secret) in secrets.enumerated() {
                    found[index] += secret.withUnsafeBytes { secret in
                        self.count(
                            UnsafeRawBufferPointer(rebasing: secret.suffix(needleByteCount)),
                            in: UnsafeRawBufferPointer(rebasing: chunk[..<count]), at: start, of: memory, except: own)
                    }
                }
                memset(chunk.baseAddress!, 0, chunk.count)
                // Overlapping, so that no occurrence is cut in two.
                start += UInt64(max(count - needleByteCount + 1, 1))
            }
        }
        return withExtendedLifetime(secrets) { found }
    }

    private static let needleByteCount = 16

    private static func count(
        _ needle: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, at start: UInt64, of memory: Int32,
        except own: [ClosedRange<UInt64>]
    ) -> Int {
        guard let first = bytes.baseAddress else { return 0 }
        var found = 0
        var offset = 0
        while let hit = memchr(first + offset, Int32(needle[0]), bytes.count - needle.count + 1 - offset) {
            offset = UnsafeRawPointer(hit) - first + 1
            guard memcmp(hit, needle.baseAddress!, needle.count) == 0 else { continue }
            let place = start + UInt64(offset - 1)
            if !own.contains(where: { $0.contains(place) }), stays(needle, at: place, in: memory) { found += 1 }
        }
        return found
    }

    // Whether it is no other scan's, and still there: another scan may have ended since.
    private static func stays(_ needle: UnsafeRawBufferPointer, at place: UInt64, in memory: Int32) -> Bool {
        if chunks.withLock({ $0.contains { $0.contains(place) } }) { return false }
        return withUnsafeTemporaryAllocation(byteCount: needle.count, alignment: 1) { again in
            defer { again.initializeMemory(as: UInt8.self, repeating: 0) }
            return pread(memory, again.baseAddress, needle.count, off_t(place)) == needle.count
                && memcmp(again.baseAddress!, needle.baseAddress!, needle.count) == 0
        }
    }

    private static func address(of buffer: UnsafeRawBufferPointer) -> ClosedRange<UInt64> {
        let start = UInt64(UInt(bitPattern: buffer.baseAddress))
        return start...start + UInt64(buffer.count) - 1
    }
}

extension Substring {
    fileprivate var trimmingNewline: Substring { hasSuffix("\n") ? dropLast() : self }
}
