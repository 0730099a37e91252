import CSodium

// "Encrypt to X" of protocol.md §1: epk(32) ‖ NaCl box, with the first 24 bytes of epk as the nonce. It is not libsodium's
// sealed box, whose nonce is a hash.
private let ephemeralKeyByteCount = Int(crypto_box_PUBLICKEYBYTES)
private let nonceByteCount = Int(crypto_box_NONCEBYTES)
private let overhead = Int(crypto_box_PUBLICKEYBYTES) + Int(crypto_box_MACBYTES)

extension PublicKey {
    /// Encrypts a message that only the holder of the private half can read (protocol.md §1, "encrypt to X").
    ///
    /// - Parameter message: any bytes.
    /// - Returns: 48 bytes more than `message`: ephemeral X25519 public key, then the box.
    /// - Throws: ``KeyError/unusableForEncryption`` for a key of small order.
    public func encrypt(_ message: some Collection<UInt8>) throws(KeyError) -> [UInt8] {
        let recipient = try curve25519()
        var ephemeralSecret = [UInt8](repeating: 0, count: Int(crypto_box_SECRETKEYBYTES))
        defer { Sodium.zero(&ephemeralSecret) }
        let sealed = Sodium.make(overhead + message.count) { output in
            guard crypto_box_keypair(output, &ephemeralSecret) == 0 else { return -1 }
            return message.withBytes { message, count in
                crypto_box_easy(
                    output + ephemeralKeyByteCount, message, UInt64(count), output, recipient, ephemeralSecret
                )
            }
        }
        guard sealed.status == 0 else { throw .unusableForEncryption }
        return sealed.bytes
    }

    /// The X25519 form of this key, 32 bytes.
    package func curve25519() throws(KeyError) -> [UInt8] {
        let converted = Sodium.make(32) { output in
            withPointer { crypto_sign_ed25519_pk_to_curve25519(output, $0) }
        }
        guard converted.status == 0 else { throw .unusableForEncryption }
        return converted.bytes
    }
}

extension SigningKey {
    /// Opens what ``PublicKey/encrypt(_:)`` made for this key.
    ///
    /// - Parameter sealed: at least 48 bytes.
    /// - Returns: the message; the caller zeroes it when it is a secret.
    /// - Throws: ``KeyError/ciphertextTooShort(minimum:found:)`` or ``KeyError/cannotDecrypt``.
    public func decrypt(_ sealed: some Collection<UInt8>) throws(KeyError) -> [UInt8] {
        guard sealed.count >= overhead else { throw .ciphertextTooShort(minimum: overhead, found: sealed.count) }
        var secret = curve25519()
        defer { Sodium.zero(&secret) }
        let opened = Sodium.make(sealed.count - overhead) { output in
            sealed.withBytes { ephemeral, count in
                crypto_box_open_easy(
                    output, ephemeral + ephemeralKeyByteCount, UInt64(count - ephemeralKeyByteCount),
                    ephemeral, ephemeral, secret
                )
            }
        }
        guard opened.status == 0 else { throw .cannotDecrypt }
        return opened.bytes
    }

    /// X25519 of this key and another's, 32 bytes; both are converted from Ed25519. The caller zeroes it.
    func sharedSecret(with other: PublicKey) throws(KeyError) -> [UInt8] {
        var secret = curve25519()
        defer { Sodium.zero(&secret) }
        let point = try other.curve25519()
        let shared = Sodium.make(32) { crypto_scalarmult($0, secret, point) }
        guard shared.status == 0 else { throw .unusableForEncryption }
        return shared.bytes
    }

    /// The X25519 form of this key, 32 bytes. The caller zeroes it.
    package func curve25519() -> [UInt8] {
        Sodium.make(32) { output in
            withPointer { crypto_sign_ed25519_sk_to_curve25519(output, $0) }
        }.bytes
    }
}
