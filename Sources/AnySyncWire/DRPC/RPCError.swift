/// A call that failed at the other side: the body of an error packet (protocol.md §7).
public struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Bytes of the code in front of the text.
    private static let codeSize = 8

    /// What failed, by the service's numbering; 0 when it has none.
    public var code: UInt64
    /// What failed, for people.
    public var text: String

    /// - Parameters:
    ///   - code: what failed, by the service's numbering.
    ///   - text: what failed, for people.
    public init(code: UInt64, text: String) {
        self.code = code
        self.text = text
    }

    /// The call ended where a message was due: code 0, text `EOF`.
    public static let endOfCall = RPCError(code: 0, text: "EOF")

    /// Reads a body: an 8-byte big-endian code, then text. A shorter one is all text, under code 0.
    public init(decoding body: ArraySlice<UInt8>) {
        guard body.count >= Self.codeSize else {
            self.init(code: 0, text: String(decoding: body, as: UTF8.self))
            return
        }
        let code = body.prefix(Self.codeSize).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(code: code, text: String(decoding: body.dropFirst(Self.codeSize), as: UTF8.self))
    }

    /// The body's bytes.
    public var encoded: [UInt8] {
        withUnsafeBytes(of: code.bigEndian) { Array($0) } + Array(text.utf8)
    }

    /// The code and the text's start, made printable.
    public var description: String {
        "rpc error \(code): \(PeerText.printable(text.utf8, limit: 200))"
    }
}
