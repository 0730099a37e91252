/// A BIP-39 phrase in English, and the account keys that follow from it (protocol.md §1, "Mnemonic").
public struct Mnemonic: Sendable {
    /// Why a text is no phrase.
    public enum Failure: Error, Hashable, Sendable {
        /// The number of words is not 12, 15, 18, 21 or 24.
        case wrongWordCount(Int)
        /// The word at this position, counted from 1, is not in the English list; words are lower-case. The word itself is
        /// a part of a secret and is not repeated.
        case unknownWord(position: Int)
        /// The last word does not match the others: mistyped or in another order.
        case wrongChecksum
        /// The text is longer than any phrase, in UTF-8 bytes.
        case tooLong(byteCount: Int)
        /// OpenSSL refused the derivation, which can not happen on good input.
        case derivationUnavailable
    }

    // 24 words of at most 8 letters, with room for generous white space.
    private static let maximumLength = 4096
    // BIP-39, "From mnemonic to seed".
    private static let iterations: Int32 = 2048
    private static let seedByteCount = 64
    private static let bitsPerWord = 11

    private let seedBytes: SecretBytes

    /// Reads a phrase.
    ///
    /// Words may be separated by any white space, but the seed is made from the text as it was given, so another spelling
    /// is another account, as in the reference.
    ///
    /// - Parameter phrase: 12, 15, 18, 21 or 24 words.
    /// - Throws: ``Failure``.
    public init(_ phrase: String) throws(Failure) {
        try self.init(phrase, passphrase: "")
    }

    /// Reads a phrase that is protected by a passphrase. Only BIP-39's own vectors have one: accounts never do.
    package init(_ phrase: String, passphrase: String) throws(Failure) {
        guard phrase.utf8.count <= Self.maximumLength else { throw .tooLong(byteCount: phrase.utf8.count) }
        // By scalars: a combining mark after a space belongs to the next word, which it makes an unknown one.
        try Self.check(phrase.unicodeScalars.split { $0.properties.isWhitespace }.map { Substring($0) })
        var password = Array(phrase.utf8)
        defer { Sodium.zero(&password) }
        guard
            var seed = Digest.pbkdf2SHA512(
                password: password, salt: Array("mnemonic\(passphrase)".utf8), iterations: Self.iterations,
                count: Self.seedByteCount
            )
        else { throw .derivationUnavailable }
        defer { Sodium.zero(&seed) }
        seedBytes = SecretBytes(seed)
    }

    /// A copy of the 64-byte BIP-39 seed, with an empty passphrase. The caller zeroes it.
    public func seed() -> [UInt8] {
        seedBytes.copy()
    }

    /// The master node of an account, `m/44'/2046'/index'`.
    ///
    /// - Parameter index: below 2^31.
    /// - Throws: ``DerivationError/indexOutOfRange(_:)``.
    public func masterNode(index: UInt32) throws(DerivationError) -> SLIP10Node {
        try seedBytes.withBuffer { SLIP10Node(seed: $0) }.child(44).child(2046).child(index)
    }

    /// The account key, `m/44'/2046'/index'/0'`.
    ///
    /// - Parameter index: below 2^31.
    /// - Throws: ``DerivationError/indexOutOfRange(_:)``.
    public func accountKey(index: UInt32) throws(DerivationError) -> SigningKey {
        try masterNode(index: index).child(0).signingKey
    }

    /// A phrase for given entropy.
    ///
    /// - Parameter entropy: 16, 20, 24, 28 or 32 random bytes.
    /// - Returns: the words, joined by single spaces; `nil` for another length.
    public static func phrase(entropy: [UInt8]) -> String? {
        guard entropy.count.isMultiple(of: 4), (16...32).contains(entropy.count) else { return nil }
        var bytes = entropy + [checksum(of: entropy)]
        defer { Sodium.zero(&bytes) }
        var words: [Substring] = []
        for word in 0..<entropy.count * 3 / 4 {
            var index = 0
            for bit in word * bitsPerWord..<(word + 1) * bitsPerWord {
                let value = bytes[bit / 8] >> UInt8(7 - bit % 8) & 1
                index = index << 1 | Int(value)
            }
            words.append(MnemonicWords.list[index])
        }
        return words.joined(separator: " ")
    }

    private static func check(_ words: [Substring]) throws(Failure) {
        guard words.count.isMultiple(of: 3), (12...24).contains(words.count) else { throw .wrongWordCount(words.count) }
        // 11 bits for each word: the entropy, then less than a byte of checksum.
        let entropyCount = words.count / 3 * 4
        var bytes = [UInt8](repeating: 0, count: entropyCount + 1)
        defer { Sodium.zero(&bytes) }
        for (position, word) in words.enumerated() {
            guard let index = MnemonicWords.index[word] else { throw .unknownWord(position: position + 1) }
            for offset in 0..<bitsPerWord where index >> (bitsPerWord - 1 - offset) & 1 == 1 {
                let bit = position * bitsPerWord + offset
                bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
            }
        }
        let found = bytes[entropyCount]
        bytes[entropyCount] = 0
        guard checksum(of: bytes.prefix(entropyCount)) == found else { throw .wrongChecksum }
    }

    // One bit for every 32 of entropy, in the high bits of a byte.
    private static func checksum(of entropy: some Collection<UInt8>) -> UInt8 {
        Digest.sha256(entropy)[0] & ~(0xff >> UInt8(entropy.count / 4))
    }
}
