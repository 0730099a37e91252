import CSodium
import PushCrypto

/// Bytes that only a passkey opens: libsodium's secretbox under a key that Argon2id makes of the passkey.
struct PasskeyBox {
    /// What Argon2id costs: libsodium's `opslimit`, and its `memlimit` in bytes.
    struct Cost: Hashable {
        /// Dear for someone who tries passkeys, and within the 256 MiB that an embedded server may take.
        static let standard = Cost(operations: 4, memory: 64 << 20)
        // What a file may ask for: a hostile one must eat neither memory nor minutes.
        static let operationsAllowed: ClosedRange<UInt64> = 1...16
        static let memoryAllowed: ClosedRange<UInt64> = 8 << 10...256 << 20

        var operations: UInt64
        var memory: UInt64

        var isAllowed: Bool {
            Self.operationsAllowed.contains(operations) && Self.memoryAllowed.contains(memory)
        }
    }

    enum Failure: Error {
        /// Argon2id did not get its memory.
        case outOfMemory
        /// The passkey is another, or the box was changed: secretbox can not tell, and so nobody else can.
        case doesNotOpen
    }

    static let saltByteCount = Int(crypto_pwhash_argon2id_SALTBYTES)
    static let nonceByteCount = Int(crypto_secretbox_NONCEBYTES)

    var cost: Cost
    var salt: [UInt8]
    var nonce: [UInt8]
    var box: [UInt8]

    init(cost: Cost, salt: [UInt8], nonce: [UInt8], box: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.nonce = nonce
        self.box = box
    }

    /// Closes a box over `content`, with a fresh salt and nonce.
    init(sealing content: [UInt8], passkey: Passkey, cost: Cost) throws(Failure) {
        self.init(
            cost: cost, salt: Sodium.random(Self.saltByteCount), nonce: Sodium.random(Self.nonceByteCount), box: []
        )
        var key = try key(for: passkey)
        defer { Sodium.zero(&key) }
        box =
            Sodium.make(content.count + Int(crypto_secretbox_MACBYTES)) {
                crypto_secretbox_easy($0, content, UInt64(content.count), nonce, key)
            }.bytes
    }

    /// The content. The caller zeroes it.
    func open(passkey: Passkey) throws(Failure) -> [UInt8] {
        guard box.count >= Int(crypto_secretbox_MACBYTES) else { throw .doesNotOpen }
        var key = try key(for: passkey)
        defer { Sodium.zero(&key) }
        let opened = Sodium.make(box.count - Int(crypto_secretbox_MACBYTES)) {
            crypto_secretbox_open_easy($0, box, UInt64(box.count), nonce, key)
        }
        guard opened.status == 0 else { throw .doesNotOpen }
        return opened.bytes
    }

    private func key(for passkey: Passkey) throws(Failure) -> [UInt8] {
        let secret = passkey.secret
        let key = Sodium.make(Int(crypto_secretbox_KEYBYTES)) { key in
            secret.withBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self, capacity: secret.count) { text in
                    crypto_pwhash_argon2id(
                        key, UInt64(crypto_secretbox_KEYBYTES), text, UInt64(secret.count), salt,
                        cost.operations, Int(cost.memory), crypto_pwhash_argon2id_ALG_ARGON2ID13
                    )
                }
            }
        }
        guard key.status == 0 else { throw .outOfMemory }
        return key.bytes
    }
}
