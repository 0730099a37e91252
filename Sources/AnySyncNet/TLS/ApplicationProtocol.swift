/// What the two sides of a TLS session agree to speak inside it, as named in its handshake (ALPN).
package enum ApplicationProtocol: String, Hashable, Sendable {
    /// Credentials inside TLS, then yamux on the bare socket; a session without any name means the same.
    case libp2p = "libp2p"
    /// Credentials and yamux inside TLS.
    case encryptedYamux = "anypush-yamux"

    /// The form in which TLS lists a protocol: its length in one byte, then its name.
    var wireForm: [UInt8] {
        [UInt8(rawValue.utf8.count)] + Array(rawValue.utf8)
    }

    /// The first of `accepted` that a client's list offers; `nil` when it is malformed or has none.
    static func choose(from list: [UInt8], accepted: [ApplicationProtocol]) -> ApplicationProtocol? {
        var offered: Set<[UInt8]> = []
        var rest = list[...]
        while let length = rest.first {
            let name = rest.dropFirst().prefix(Int(length))
            guard length > 0, name.count == Int(length) else { return nil }
            offered.insert(Array(name))
            rest = rest.dropFirst(1 + name.count)
        }
        return accepted.first { offered.contains(Array($0.rawValue.utf8)) }
    }
}
