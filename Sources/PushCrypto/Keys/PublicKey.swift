import CSodium

/// An Ed25519 public key: an identity, a peer, a space's push key or a network, depending on who holds the private half.
///
/// The bytes decode to a point of the curve. As in the reference, points of small order and encodings with y ≥ p are keys too;
/// two keys are equal when their bytes are (protocol.md §1).
public struct PublicKey: Hashable, Sendable {
    /// The length of the raw form in bytes.
    public static let byteCount = 32

    // Inline, so that a key costs no allocation: nodes hold and hash many of them.
    private let storage: Bytes32

    /// Takes the raw form.
    ///
    /// - Parameter rawRepresentation: 32 bytes.
    /// - Throws: ``KeyError/wrongLength(expected:found:)`` or ``KeyError/notACurvePoint``.
    public init(rawRepresentation: some Collection<UInt8>) throws(KeyError) {
        guard rawRepresentation.count == Self.byteCount else {
            throw .wrongLength(expected: Self.byteCount, found: rawRepresentation.count)
        }
        guard Self.isCurvePoint(rawRepresentation) else { throw .notACurvePoint }
        self.init(unchecked: rawRepresentation)
    }

    /// Takes the marshalled form, a `Key` message of type 0.
    ///
    /// - Throws: ``KeyError`` when the message, its type, the length or the point is wrong.
    public init(marshalled: some Collection<UInt8>) throws(KeyError) {
        self = try KeyMessage.decode(marshalled, as: .ed25519Public) { data throws(KeyError) in
            try PublicKey(rawRepresentation: data)
        }
    }

    /// Takes 32 bytes that are known to be a point: computed by libsodium, or checked before.
    init(unchecked bytes: some Collection<UInt8>) {
        storage = Bytes32(bytes)
    }

    /// The 32 bytes of the key.
    public var rawRepresentation: [UInt8] {
        storage.withBytes { Array($0) }
    }

    /// The key as a `Key` message of type 0.
    public var marshalled: [UInt8] {
        KeyMessage.encode(.ed25519Public, rawRepresentation)
    }

    /// Whether `signature` is this key's Ed25519 signature of `message` (RFC 8032, section 5.1.7).
    ///
    /// Nothing is valid under a key of small order or one whose y is not below p, for which anyone could sign.
    ///
    /// - Parameters:
    ///   - signature: 64 bytes; any other length is no signature.
    ///   - message: the signed bytes.
    public func isValidSignature(_ signature: some Collection<UInt8>, for message: some Collection<UInt8>) -> Bool {
        guard signature.count == SigningKey.signatureByteCount else { return false }
        Sodium.ready()
        return signature.withBytes { signature, _ in
            message.withBytes { message, count in
                withPointer { crypto_sign_verify_detached(signature, message, UInt64(count), $0) == 0 }
            }
        }
    }

    /// Calls `body` with the 32 bytes of the key.
    func withPointer<R>(_ body: (UnsafePointer<UInt8>) throws -> R) rethrows -> R {
        try storage.withPointer(body)
    }

    // libsodium's own validity check refuses small order and non-canonical y, which the reference accepts. Point addition
    // decodes both operands and asks nothing more, so adding the neutral element is exactly the check that is wanted.
    private static func isCurvePoint(_ bytes: some Collection<UInt8>) -> Bool {
        let neutral: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        return Sodium.make(32) { sum in
            bytes.withBytes { point, _ in crypto_core_ed25519_add(sum, point, neutral) }
        }.status == 0
    }
}
