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
        /// The text is longer than any phrase.
        case tooLong(characters: Int)
        /// OpenSSL refused the derivation, which can not happen on good input.
        case derivationUnavailable
    }

    // 24 words of at most 8 letters, with room for generous white space.
    private static let maximumLength = 4096
    // BIP-39, "From mnemonic to seed".
    private static let iterations: Int32 = 2048
    private static let seedByteCount = 64

    private let seedBytes: SecretBytes

    /// Reads a phrase.
    ///
    /// Words may be separated by any white space, but the seed is made from the text as it was given, so another spelling
    /// is another account, as in the reference.
    ///
    /// - Parameter phrase: 12, 15, 18, 21 or 24 words.
    /// - Throws: ``Failure``.
    public init(_ phrase: String) throws(Failure) {
        guard phrase.utf8.count <= Self.maximumLength else { throw .tooLong(characters: phrase.utf8.count) }
        try Self.check(phrase.split { $0.isWhitespace })
        var password = Array(phrase.utf8)
        defer { Sodium.zero(&password) }
        guard
            var seed = Digest.pbkdf2SHA512(
                password: password, salt: Array("mnemonic".utf8), iterations: Self.iterations, count: Self.seedByteCount
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
        var bits = entropy.flatMap(bits(of:))
        bits += checksum(of: entropy)
        return stride(from: 0, to: bits.count, by: 11)
            .map { start in bits[start..<start + 11].reduce(0) { $0 << 1 | ($1 ? 1 : 0) } }
            .map { MnemonicWords.list[$0] }
            .joined(separator: " ")
    }

    private static func check(_ words: [Substring]) throws(Failure) {
        guard words.count.isMultiple(of: 3), (12...24).contains(words.count) else { throw .wrongWordCount(words.count) }
        var bits: [Bool] = []
        for (position, word) in words.enumerated() {
            guard let index = MnemonicWords.index[word] else { throw .unknownWord(position: position + 1) }
            for shift in (0..<11).reversed() {
                bits.append(index >> shift & 1 == 1)
            }
        }
        let entropyBits = bits.count * 32 / 33
        var entropy: [UInt8] = stride(from: 0, to: entropyBits, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        defer { Sodium.zero(&entropy) }
        guard checksum(of: entropy).elementsEqual(bits[entropyBits...]) else { throw .wrongChecksum }
    }

    // One bit for every 32 of entropy.
    private static func checksum(of entropy: [UInt8]) -> ArraySlice<Bool> {
        Digest.sha256(entropy).flatMap(bits(of:)).prefix(entropy.count / 4)
    }

    private static func bits(of byte: UInt8) -> [Bool] {
        (0..<8).reversed().map { byte >> $0 & 1 == 1 }
    }
}
