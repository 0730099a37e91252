/// The ids of requests: the client's own if it sent a fit one, else a number under a prefix of this server's.
struct RequestIds: Sendable {
    static let header = "X-Request-Id"

    private let prefix: String
    private var count: UInt64 = 0

    /// Ids whose own part starts with `serial`, which tells one run of a server from another.
    init(serial: UInt32) {
        let digits = String(serial, radix: 16)
        prefix = String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The id of a request with these headers.
    mutating func next(_ headers: HTTPHeaders) -> String {
        if let given = headers[Self.header], Self.isFit(given) { return given }
        count += 1
        return "\(prefix)-\(count)"
    }

    /// Short, and harmless in a header and a log line.
    private static func isFit(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}
