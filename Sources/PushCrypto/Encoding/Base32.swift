/// Base32 of RFC 4648 in lower case and without padding, the alphabet behind multibase prefix `b`.
enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Appends the text of `bytes`, 8 characters for every 5 bytes.
    static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        var pending: UInt32 = 0
        var pendingBits: UInt32 = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            pendingBits += 8
            while pendingBits >= 5 {
                pendingBits -= 5
                text.append(alphabet[Int(pending >> pendingBits & 31)])
            }
        }
        if pendingBits > 0 {
            text.append(alphabet[Int(pending << (5 - pendingBits) & 31)])
        }
    }
}
