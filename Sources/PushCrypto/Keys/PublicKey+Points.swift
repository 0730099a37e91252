import CSodium

extension PublicKey {
    /// This key, when its bytes are a point of the curve.
    ///
    /// - Throws: ``KeyError/notACurvePoint``.
    func checked() throws(KeyError) -> PublicKey {
        try PublicKey(rawRepresentation: rawRepresentation)
    }

    /// Checks many keys at half the price: adding points decodes both operands, so one addition checks two keys.
    ///
    /// - Throws: ``KeyError/notACurvePoint`` when one of them is none.
    static func checkAll(_ keys: [PublicKey]) throws(KeyError) {
        for index in stride(from: 0, to: keys.count, by: 2) {
            let first = keys[index]
            let second = index + 1 < keys.count ? keys[index + 1] : first
            let sum = first.withPointer { first in
                second.withPointer { second in Sodium.make(byteCount) { crypto_core_ed25519_add($0, first, second) } }
            }
            guard sum.status == 0 else { throw .notACurvePoint }
        }
    }
}
