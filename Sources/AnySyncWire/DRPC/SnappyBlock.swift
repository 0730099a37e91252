import CSnappy

/// Why bytes are no snappy block that we take.
public enum SnappyError: Error, Hashable, Sendable {
    /// Not a snappy block, or one cut short.
    case malformed
    /// The declared length is over the limit, in bytes.
    case tooLarge(declared: Int, limit: Int)
}

/// Snappy's block format.
public enum SnappyBlock {
    /// No block gives more bytes than this for each of its own: a copy of 64 bytes takes at least 3.
    private static let maximumRatio = 22

    /// The block that decompresses to `bytes`.
    public static func compress(_ bytes: [UInt8]) -> [UInt8] {
        let capacity = maximumCompressedLength(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = capacity
            bytes.withUnsafeBytes { input in
                output.withMemoryRebound(to: CChar.self) { output in
                    // Fails only when the output is too small, which it is not.
                    _ = snappy_compress(
                        input.assumingMemoryBound(to: CChar.self).baseAddress, input.count,
                        output.baseAddress, &count)
                }
            }
        }
    }

    /// The bytes in a block.
    ///
    /// - Parameters:
    ///   - block: the whole block.
    ///   - limit: the most bytes that it may give. Looked at before anything is allocated.
    /// - Throws: ``SnappyError``.
    public static func decompress(_ block: ArraySlice<UInt8>, limit: Int) throws(SnappyError) -> [UInt8] {
        let result: Result<[UInt8], SnappyError> = block.withUnsafeBytes { raw in
            let input = raw.assumingMemoryBound(to: CChar.self)
            var declared = 0
            guard snappy_uncompressed_length(input.baseAddress, input.count, &declared) == SNAPPY_OK else {
                return .failure(.malformed)
            }
            guard declared <= limit else { return .failure(.tooLarge(declared: declared, limit: limit)) }
            guard declared <= input.count * maximumRatio else { return .failure(.malformed) }
            var isValid = false
            // With a capacity of 0 the count would be written to the empty array that all threads share.
            let bytes = [UInt8](unsafeUninitializedCapacity: max(declared, 1)) { output, count in
                var written = declared
                isValid = output.withMemoryRebound(to: CChar.self) { output in
                    snappy_uncompress(input.baseAddress, input.count, output.baseAddress, &written) == SNAPPY_OK
                }
                count = isValid ? written : 0
            }
            return isValid ? .success(bytes) : .failure(.malformed)
        }
        return try result.get()
    }

    /// The most bytes that a block of `count` bytes can take.
    public static func maximumCompressedLength(_ count: Int) -> Int {
        snappy_max_compressed_length(count)
    }
}
