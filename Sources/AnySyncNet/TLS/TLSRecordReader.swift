/// Cuts a byte stream into TLS records and never takes a byte past the one it is asked for (protocol.md §5: what follows
/// the last record belongs to yamux).
struct TLSRecordReader {
    /// Bytes of a record's header.
    static let headerByteCount = 5
    /// The longest body of a TLS 1.3 record: 2^14 and 256 for its encryption (RFC 8446 §5.2).
    static let maximumBody = 1 << 14 + 256

    private var partial: [UInt8] = []

    /// Whether a record has begun whose end is missing.
    var isInsideRecord: Bool { !partial.isEmpty }

    /// Takes the rest of one record out of `input`.
    ///
    /// - Returns: the record with its header; `nil` when `input` was used up before its end.
    /// - Throws: ``TLSError/notTLS(firstByte:)``, ``TLSError/recordTooLong(limit:found:)``.
    mutating func next(from input: inout ArraySlice<UInt8>) throws(TLSError) -> ArraySlice<UInt8>? {
        if partial.isEmpty, let length = try Self.length(of: input), input.count >= length {
            let record = input.prefix(length)
            input = input.dropFirst(length)
            return record
        }
        try take(Self.headerByteCount, from: &input)
        guard let length = try Self.length(of: partial[...]) else { return nil }
        try take(length, from: &input)
        guard partial.count == length else { return nil }
        defer { partial = [] }
        return partial[...]
    }

    /// Moves bytes over until `partial` has `count`.
    private mutating func take(_ count: Int, from input: inout ArraySlice<UInt8>) throws(TLSError) {
        let missing = input.prefix(max(0, count - partial.count))
        partial.append(contentsOf: missing)
        input = input.dropFirst(missing.count)
        if let first = partial.first { try Self.checkType(first) }
    }

    /// The whole length of the record at the start of `bytes`, `nil` when its header is not there yet.
    private static func length(of bytes: ArraySlice<UInt8>) throws(TLSError) -> Int? {
        guard bytes.count >= headerByteCount, let first = bytes.first else { return nil }
        try checkType(first)
        let start = bytes.startIndex
        let body = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        guard body <= maximumBody else { throw .recordTooLong(limit: maximumBody, found: body) }
        return headerByteCount + body
    }

    private static func checkType(_ type: UInt8) throws(TLSError) {
        // ChangeCipherSpec, alert, handshake, application data.
        guard (20...23).contains(type) else { throw .notTLS(firstByte: type) }
    }
}
