/// Keys inside records: marshalled, and compared as keys (protocol.md §2).
enum ACLIdentity {
    // `Key { Data: 32 bytes }`, which is how everybody writes a public key.
    private static let canonicalPrefix: [UInt8] = [0x12, 0x20]

    /// The 32 bytes of a marshalled public key. Whether they are a point of the curve is not checked.
    static func unchecked(_ marshalled: ArraySlice<UInt8>) throws(KeyError) -> PublicKey {
        let prefixLength = canonicalPrefix.count
        if marshalled.count == prefixLength + PublicKey.byteCount, marshalled.starts(with: canonicalPrefix) {
            return PublicKey(unchecked: marshalled.dropFirst(prefixLength))
        }
        return try KeyMessage.decode(marshalled, as: .ed25519Public) { (raw) throws(KeyError) in
            guard raw.count == PublicKey.byteCount else {
                throw .wrongLength(expected: PublicKey.byteCount, found: raw.count)
            }
            return PublicKey(unchecked: raw)
        }
    }
}

extension ACLState {
    /// A key of a record. Checking a point is a third of checking a signature, so a key that was checked before, as an
    /// account's or by the author's signature, is not checked again.
    func publicKey(
        _ marshalled: ArraySlice<UInt8>, _ field: ACLError.Field, author: PublicKey? = nil
    ) throws(ACLError.Reason) -> PublicKey {
        do throws(KeyError) {
            let key = try ACLIdentity.unchecked(marshalled)
            guard key != author, accountPositions[key] == nil else { return key }
            return try key.checked()
        } catch {
            throw .keyUnreadable(field, error)
        }
    }

    /// The account whose key this is.
    func position(of marshalled: ArraySlice<UInt8>) throws(ACLError.Reason) -> Int {
        if let key = try? ACLIdentity.unchecked(marshalled), let position = accountPositions[key] { return position }
        throw .noSuchAccount(try publicKey(marshalled, .identity))
    }

    /// Many keys of a record.
    func publicKeys(
        _ marshalled: [ArraySlice<UInt8>], _ field: ACLError.Field
    ) throws(ACLError.Reason) -> [PublicKey] {
        var keys: [PublicKey] = []
        keys.reserveCapacity(marshalled.count)
        do throws(KeyError) {
            for key in marshalled { keys.append(try ACLIdentity.unchecked(key)) }
            try PublicKey.checkAll(keys.filter { accountPositions[$0] == nil })
        } catch {
            throw .keyUnreadable(field, error)
        }
        return keys
    }
}
