/// An AES-256 key: a space's read key, or the payload encryption key that is derived from it (protocol.md §1).
public struct SymmetricKey: Sendable {
    /// The length of the key in bytes.
    public static let byteCount = 32

    private let secret: SecretBytes

    /// A fresh random key.
    public init() {
        secret = SecretBytes(random: Self.byteCount)
    }

    /// Takes the raw form.
    ///
    /// - Parameter rawRepresentation: 32 bytes.
    /// - Throws: ``KeyError/wrongLength(expected:found:)``.
    public init(rawRepresentation: some Collection<UInt8>) throws(KeyError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw .wrongLength(expected: Self.byteCount, found: rawRepresentation.count)
        }
        secret = SecretBytes(rawRepresentation)
    }

    /// Takes 32 bytes that are known to be as many.
    init(checked bytes: some Collection<UInt8>) {
        secret = SecretBytes(bytes)
    }

    /// Takes the marshalled form, a `Key` message of type 2.
    ///
    /// - Throws: ``KeyError`` when the message, its type or the length is wrong.
    public init(marshalled: some Collection<UInt8>) throws(KeyError) {
        self = try KeyMessage.decode(marshalled, as: .aes) { data throws(KeyError) in
            try SymmetricKey(rawRepresentation: data)
        }
    }

    /// A copy of the 32 bytes. The caller zeroes it.
    public func rawBytes() -> [UInt8] {
        secret.copy()
    }

    /// The key as a `Key` message of type 2. The caller zeroes it.
    public func marshalled() -> [UInt8] {
        secret.withBuffer { KeyMessage.encode(.aes, $0) }
    }

    /// The id under which receivers file the key: lower-case hex of SHA-256 over its 32 bytes, 64 characters.
    public var keyId: String {
        secret.withBuffer { Hexadecimal.encode(Digest.sha256($0)) }
    }

    /// Calls `body` with the key, without a copy.
    func withRawBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        try secret.withBuffer(body)
    }

    /// Calls `body` with a pointer to the 32 bytes of the key.
    func withPointer<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
        try secret.withBytes(body)
    }
}

extension SymmetricKey: Equatable {
    public static func == (left: SymmetricKey, right: SymmetricKey) -> Bool {
        left.secret.isEqual(to: right.secret)
    }
}
