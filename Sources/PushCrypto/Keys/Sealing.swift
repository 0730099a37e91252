import COpenSSL

/// Why a payload could not be sealed or opened.
public enum SealError: Error, Hashable, Sendable {
    /// Shorter than nonce and tag, in bytes.
    case tooShort(minimum: Int, found: Int)
    /// Longer than OpenSSL takes in one piece, in bytes.
    case tooLong(maximum: Int, found: Int)
    /// Sealed with another key, or changed on its way.
    case authenticationFailed
    /// OpenSSL refused an operation that can not fail on good input.
    case cipherUnavailable
}

// OpenSSL counts the bytes of one call in an `int`.
private let maximumByteCount = Int(Int32.max)

/// The fixed parts of a sealed payload, `nonce ‖ ciphertext ‖ tag` (protocol.md §1, "Sealed payload").
public enum SealedPayload {
    /// Bytes of the nonce in front.
    public static let nonceByteCount = 12
    /// Bytes of the tag at the end.
    public static let tagByteCount = 16
    /// How much longer a sealed payload is than its plaintext, in bytes.
    public static let overhead = nonceByteCount + tagByteCount
}

extension SymmetricKey {
    /// Seals a payload with AES-256-GCM under a fresh random nonce and no additional data.
    ///
    /// - Parameter plaintext: any bytes.
    /// - Returns: `nonce(12) ‖ ciphertext ‖ tag(16)`.
    /// - Throws: ``SealError/tooLong(maximum:found:)`` or ``SealError/cipherUnavailable``.
    public func seal(_ plaintext: some Collection<UInt8>) throws(SealError) -> [UInt8] {
        try seal(plaintext, nonce: Sodium.random(SealedPayload.nonceByteCount))
    }

    /// Seals under a given nonce. For golden vectors only: a nonce used twice gives the key away.
    package func seal(_ plaintext: some Collection<UInt8>, nonce: [UInt8]) throws(SealError) -> [UInt8] {
        let nonceCount = SealedPayload.nonceByteCount
        let count = plaintext.count
        guard nonce.count == nonceCount else { throw .cipherUnavailable }
        guard count <= maximumByteCount else { throw .tooLong(maximum: maximumByteCount, found: count) }
        var succeeded = false
        let sealed = [UInt8](unsafeUninitializedCapacity: count + SealedPayload.overhead) { output, filled in
            output.initialize(repeating: 0)
            filled = output.count
            guard let start = output.baseAddress else { return }
            start.update(from: nonce, count: nonceCount)
            succeeded = plaintext.withBytes { plaintext, _ in
                withCipher { cipher, key in
                    var written: Int32 = 0
                    return EVP_EncryptInit_ex2(cipher, EVP_aes_256_gcm(), key, start, nil) == 1
                        && EVP_EncryptUpdate(cipher, start + nonceCount, &written, plaintext, Int32(count)) == 1
                        && EVP_EncryptFinal_ex(cipher, start + nonceCount + count, &written) == 1
                        && EVP_CIPHER_CTX_ctrl(
                            cipher, EVP_CTRL_AEAD_GET_TAG, Int32(SealedPayload.tagByteCount), start + nonceCount + count
                        ) == 1
                }
            }
        }
        guard succeeded else { throw .cipherUnavailable }
        return sealed
    }

    /// Opens a sealed payload.
    ///
    /// - Parameter sealed: `nonce(12) ‖ ciphertext ‖ tag(16)`.
    /// - Returns: the plaintext.
    /// - Throws: ``SealError/tooShort(minimum:found:)``, ``SealError/tooLong(maximum:found:)`` or
    ///   ``SealError/authenticationFailed``.
    public func open(_ sealed: some Collection<UInt8>) throws(SealError) -> [UInt8] {
        let count = sealed.count - SealedPayload.overhead
        guard count >= 0 else { throw .tooShort(minimum: SealedPayload.overhead, found: sealed.count) }
        guard count <= maximumByteCount else { throw .tooLong(maximum: maximumByteCount, found: count) }
        var authentic = false
        var plaintext = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { output, filled in
            output.initialize(repeating: 0)
            filled = count
            guard let output = output.baseAddress else { return }
            authentic = sealed.withBytes { nonce, _ in
                let body = nonce + SealedPayload.nonceByteCount
                return withCipher { cipher, key in
                    var written: Int32 = 0
                    return EVP_DecryptInit_ex2(cipher, EVP_aes_256_gcm(), key, nonce, nil) == 1
                        && EVP_DecryptUpdate(cipher, output, &written, body, Int32(count)) == 1
                        && EVP_CIPHER_CTX_ctrl(
                            cipher, EVP_CTRL_AEAD_SET_TAG, Int32(SealedPayload.tagByteCount),
                            UnsafeMutablePointer(mutating: body + count)
                        ) == 1
                        && EVP_DecryptFinal_ex(cipher, output + count, &written) == 1
                }
            }
        }
        guard authentic else {
            // What was decrypted before the tag failed must not be used by anyone.
            Sodium.zero(&plaintext)
            throw .authenticationFailed
        }
        return plaintext
    }

    private func withCipher(_ body: (OpaquePointer, UnsafePointer<UInt8>) -> Bool) -> Bool {
        guard let cipher = EVP_CIPHER_CTX_new() else { return false }
        defer { EVP_CIPHER_CTX_free(cipher) }
        return withPointer { body(cipher, $0) }
    }
}
