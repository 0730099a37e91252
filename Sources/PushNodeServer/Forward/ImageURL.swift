/// The check that FCM's client library makes of an image URL: what Go's `url.ParseRequestURI` takes, an absolute URL or an
/// absolute path.
enum ImageURL {
    /// Whether the URL is taken.
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return false }
        if text == "*" { return true }
        guard let scheme = schemeLength(bytes) else { return false }
        var rest = bytes[scheme...]
        if let query = rest.firstIndex(of: UInt8(ascii: "?")) { rest = rest[..<query] }
        // Behind a scheme anything may stand that is no path, as in mailto:.
        guard rest.first == UInt8(ascii: "/") else { return scheme > 0 }
        if scheme > 0, rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let authority = rest.prefix { $0 != UInt8(ascii: "/") }
            guard isAuthority(authority) else { return false }
            rest = rest[authority.endIndex...]
        }
        return hasValidEscapes(rest)
    }

    /// How many bytes the scheme and its colon take: 0 without one, `nil` when it is missing before its colon.
    private static func schemeLength(_ bytes: [UInt8]) -> Int? {
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                guard index > 0 else { return 0 }
            case UInt8(ascii: ":"): return index > 0 ? index + 1 : nil
            default: return 0
            }
        }
        return 0
    }

    private static func isAuthority(_ authority: ArraySlice<UInt8>) -> Bool {
        var host = authority
        if let at = host.lastIndex(of: UInt8(ascii: "@")) {
            guard isText(host[..<at], extra: "-._:~!$&'()*+,;=%@"), hasValidEscapes(host[..<at]) else { return false }
            host = host[(at + 1)...]
        }
        if host.first == UInt8(ascii: "[") {
            guard let end = host.lastIndex(of: UInt8(ascii: "]")) else { return false }
            return isPort(host[(end + 1)...])
        }
        if let colon = host.lastIndex(of: UInt8(ascii: ":")) {
            guard isPort(host[colon...]) else { return false }
            host = host[..<colon]
        }
        return isText(host, extra: "-._~!$&'()*+,;=:[]<>\"%") && hasValidEscapes(host)
    }

    private static func isPort(_ port: ArraySlice<UInt8>) -> Bool {
        guard let first = port.first else { return true }
        return first == UInt8(ascii: ":")
            && port.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isText(_ bytes: ArraySlice<UInt8>, extra: StaticString) -> Bool {
        let extra = UnsafeBufferPointer(start: extra.utf8Start, count: extra.utf8CodeUnitCount)
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: byte >= 0x80 || extra.contains(byte)
            }
        }
    }

    private static func hasValidEscapes(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            let digits = rest[(percent + 1)...].prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexDigit) else { return false }
            rest = rest[digits.endIndex...]
        }
        return true
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
