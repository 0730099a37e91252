import COpenSSL
import CSodium

/// Hashes and message authentication codes, each one call into a library.
package enum Digest {
    // Fetched once for the life of the process. Unsafe because a pointer is not Sendable; the method it points to is never
    // changed after the fetch, and OpenSSL lets any number of threads use it at once (EVP_MD_fetch(3)).
    private nonisolated(unsafe) static let sha256Method = EVP_MD_fetch(nil, "SHA256", nil)

    /// SHA-256, 32 bytes. OpenSSL's, which is five times as fast as libsodium's on the long records of an ACL.
    package static func sha256(_ message: some Collection<UInt8>) -> [UInt8] {
        let digest = Sodium.make(Int(crypto_hash_sha256_BYTES)) { output in
            message.withBytes { EVP_Digest($0, $1, output, nil, sha256Method, nil) }
        }
        // A digest that OpenSSL withholds must not pass for 32 zeros; libsodium's cannot fail.
        guard digest.status == 1 else {
            return Sodium.make(Int(crypto_hash_sha256_BYTES)) { output in
                message.withBytes { crypto_hash_sha256(output, $0, UInt64($1)) }
            }.bytes
        }
        return digest.bytes
    }

    /// HMAC-SHA512 with a key of any length, 64 bytes.
    static func hmacSHA512(key: some Collection<UInt8>, _ parts: [UInt8]...) -> [UInt8] {
        Sodium.make(Int(crypto_auth_hmacsha512_BYTES)) { output in
            var state = crypto_auth_hmacsha512_state()
            defer { withUnsafeMutableBytes(of: &state) { sodium_memzero($0.baseAddress, $0.count) } }
            key.withBytes { _ = crypto_auth_hmacsha512_init(&state, $0, $1) }
            for part in parts {
                _ = crypto_auth_hmacsha512_update(&state, part, UInt64(part.count))
            }
            return crypto_auth_hmacsha512_final(&state, output)
        }.bytes
    }

    /// PBKDF2-HMAC-SHA512.
    static func pbkdf2SHA512(password: [UInt8], salt: [UInt8], iterations: Int32, count: Int) -> [UInt8]? {
        let derived = Sodium.make(count) { output in
            password.withUnsafeBytes { password in
                PKCS5_PBKDF2_HMAC(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(password.count),
                    salt, Int32(salt.count), iterations, EVP_sha512(), Int32(count), output
                )
            }
        }
        return derived.status == 1 ? derived.bytes : nil
    }

    /// HKDF-SHA256 without salt.
    static func hkdfSHA256(_ keyMaterial: [UInt8], info: [UInt8], count: Int) -> [UInt8]? {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        guard
            EVP_PKEY_derive_init(context) == 1,
            EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1,
            EVP_PKEY_CTX_set1_hkdf_key(context, keyMaterial, Int32(keyMaterial.count)) == 1,
            EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1
        else { return nil }
        var length = count
        let derived = Sodium.make(count) { EVP_PKEY_derive(context, $0, &length) }
        return derived.status == 1 && length == count ? derived.bytes : nil
    }
}
