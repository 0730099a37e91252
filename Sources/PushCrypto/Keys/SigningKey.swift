import CSodium

/// An Ed25519 private key: account key, peer key, space push key or metadata key (protocol.md §1).
///
/// The secret is held once, however often the value is copied, and is zeroed when the last copy goes.
public struct SigningKey: Sendable {
    /// The length of a signature in bytes.
    public static let signatureByteCount = 64
    /// The length of the seed in bytes.
    public static let seedByteCount = 32
    /// The length of the raw form in bytes: seed, then public key.
    public static let rawByteCount = 64

    private let secret: SecretBytes

    /// The public half.
    public let publicKey: PublicKey

    /// A fresh random key.
    public init() {
        var seed = Sodium.random(Self.seedByteCount)
        defer { Sodium.zero(&seed) }
        self.init(checkedSeed: seed)
    }

    /// The key of a seed.
    ///
    /// - Parameter seed: 32 bytes.
    /// - Throws: ``KeyError/wrongLength(expected:found:)``.
    public init(seed: some Collection<UInt8>) throws(KeyError) {
        guard seed.count == Self.seedByteCount else {
            throw .wrongLength(expected: Self.seedByteCount, found: seed.count)
        }
        self.init(checkedSeed: seed)
    }

    /// Takes the raw form.
    ///
    /// - Parameter rawRepresentation: 64 bytes, seed and public key; or 96, with the public key once more.
    /// - Throws: ``KeyError/wrongLength(expected:found:)``, or ``KeyError/publicHalfMismatch`` when a public half is not
    ///   the seed's (signing with it would give the key away).
    public init(rawRepresentation: some Collection<UInt8>) throws(KeyError) {
        let count = rawRepresentation.count
        guard count == Self.rawByteCount || count == Self.rawByteCount + PublicKey.byteCount else {
            throw .wrongLength(expected: Self.rawByteCount, found: count)
        }
        self.init(checkedSeed: rawRepresentation.prefix(Self.seedByteCount))
        let publicBytes = publicKey.rawRepresentation
        guard
            rawRepresentation.dropFirst(32).prefix(32).elementsEqual(publicBytes),
            count == Self.rawByteCount || rawRepresentation.dropFirst(64).elementsEqual(publicBytes)
        else { throw .publicHalfMismatch }
    }

    /// Takes the marshalled form, a `Key` message of type 1.
    ///
    /// - Throws: ``KeyError`` when the message, its type, the length or the public half is wrong.
    public init(marshalled: some Collection<UInt8>) throws(KeyError) {
        self = try KeyMessage.decode(marshalled, as: .ed25519Private) { data throws(KeyError) in
            try SigningKey(rawRepresentation: data)
        }
    }

    /// Takes 32 bytes that are known to be as many.
    init(checkedSeed seed: some Collection<UInt8>) {
        Sodium.ready()
        var expanded = [UInt8](repeating: 0, count: Self.rawByteCount)
        var publicBytes = [UInt8](repeating: 0, count: PublicKey.byteCount)
        defer { Sodium.zero(&expanded) }
        seed.withBytes { seed, _ in
            _ = crypto_sign_seed_keypair(&publicBytes, &expanded, seed)
        }
        secret = SecretBytes(expanded)
        publicKey = PublicKey(unchecked: publicBytes)
    }

    /// A copy of the raw form, 64 bytes: seed, then public key. The caller zeroes it.
    public func rawBytes() -> [UInt8] {
        secret.copy()
    }

    /// The key as a `Key` message of type 1. The caller zeroes it.
    public func marshalled() -> [UInt8] {
        secret.withBuffer { KeyMessage.encode(.ed25519Private, $0) }
    }

    /// The Ed25519 signature of `message`, 64 bytes.
    public func signature(for message: some Collection<UInt8>) -> [UInt8] {
        Sodium.make(Self.signatureByteCount) { signature in
            message.withBytes { message, count in
                secret.withBytes { crypto_sign_detached(signature, nil, message, UInt64(count), $0) }
            }
        }.bytes
    }

    /// Calls `body` with the raw form, without a copy.
    func withRawBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        try secret.withBuffer(body)
    }

    /// Calls `body` with a pointer to the 64 bytes of the raw form.
    func withPointer<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
        try secret.withBytes(body)
    }
}

extension SigningKey: Equatable {
    public static func == (left: SigningKey, right: SigningKey) -> Bool {
        left.secret.isEqual(to: right.secret)
    }
}

extension SigningKey: CustomStringConvertible {
    /// The public half only.
    public var description: String { "SigningKey(\(publicKey.accountAddress))" }
}
