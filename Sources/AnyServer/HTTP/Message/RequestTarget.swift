/// A request target taken apart: the path's segments and the query's items, decoded.
struct RequestTarget: Hashable, Sendable {
    /// The text between the slashes, each decoded on its own, so that `%2F` never makes two of one.
    let segments: [String]
    /// Names and values in order.
    let query: [(name: String, value: String)]

    /// Takes apart what came.
    ///
    /// - Throws: ``APIError`` `request.bad` for bad escapes, for text that is no UTF-8, and for segments that could
    ///   mean something to a file system: `.`, `..`, slashes, control characters.
    init(_ bytes: [UInt8]) throws(APIError) {
        let origin = Self.withoutAuthority(bytes[...])
        let parts = origin.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.first == UInt8(ascii: "/") else {
            throw APIError(.bad, "the request target must be a path that starts with a slash")
        }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            segments.append(try Self.segment(part))
        }
        self.segments = segments
        query = try Self.items(parts.count > 1 ? parts[1] : [])
    }

    /// `http://host/path` is a path too (RFC 9112, 3.2.2).
    private static func withoutAuthority(_ target: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard target.starts(with: "http://".utf8) else { return target }
        return target.dropFirst(7).drop { $0 != UInt8(ascii: "/") }
    }

    private static func segment(_ bytes: ArraySlice<UInt8>) throws(APIError) -> String {
        guard let text = PercentDecoding.text(bytes) else {
            throw APIError(.bad, "the path has a bad percent escape or is not valid UTF-8")
        }
        guard text != ".", text != "..", !text.unicodeScalars.contains(where: isForbidden) else {
            throw APIError(.bad, "a path segment must not be . or .., and must hold no slashes or control characters")
        }
        return text
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0x7F || scalar == "/" || scalar == "\\"
    }

    private static func items(_ bytes: ArraySlice<UInt8>) throws(APIError) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentDecoding.text(parts[0], plusIsSpace: true),
                let value = PercentDecoding.text(parts.count > 1 ? parts[1] : [], plusIsSpace: true)
            else { throw APIError(.bad, "the query has a bad percent escape or is not valid UTF-8") }
            items.append((name, value))
        }
        return items
    }

    static func == (left: RequestTarget, right: RequestTarget) -> Bool {
        left.segments == right.segments && left.query.elementsEqual(right.query) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(segments)
        for item in query {
            hasher.combine(item.name)
            hasher.combine(item.value)
        }
    }
}
