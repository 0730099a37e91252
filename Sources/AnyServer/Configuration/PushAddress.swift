/// Addresses of a push node as the configuration has them: `yamux://host:port`, `quic://host:port` or `host:port`.
enum PushAddress {
    private static let schemes = ["yamux", "quic"]

    /// What is wrong with `text`, and what to do; `nil` when nothing is.
    static func problem(in text: String) -> String? {
        var rest = Substring(text)
        if let separator = text.firstRange(of: "://") {
            let scheme = String(text[..<separator.lowerBound])
            guard schemes.contains(scheme) else {
                let meant = Spelling.nearest(to: scheme, among: schemes).map { "; did you mean \($0)://?" } ?? ""
                return "\"\(text)\" must start with yamux:// or quic://\(meant)"
            }
            rest = rest[separator.upperBound...]
        }
        let example = "such as yamux://push.example.org:443"
        guard let colon = rest.lastIndex(of: ":"), !rest.hasSuffix(":") else {
            return "\"\(text)\" has no port; give one, \(example)"
        }
        let digits = rest[rest.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits), port != 0 else {
            return "\"\(text)\" must end with a port from 1 to 65535, \(example)"
        }
        let host = rest[..<colon]
        guard !host.isEmpty else { return "\"\(text)\" has no host; give one, \(example)" }
        guard !host.contains(where: { "/@?# ".contains($0) }) else {
            return "\"\(text)\" must be a scheme, a host and a port only, \(example)"
        }
        guard !host.contains(":") || host.hasPrefix("[") && host.hasSuffix("]") else {
            return "\"\(text)\" needs brackets around its IPv6 address"
        }
        return nil
    }
}
