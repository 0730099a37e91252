/// The text form of public keys: `base58(version ‖ key ‖ crc16)` (protocol.md §1, "Account address").
private enum KeyText {
    static let account: UInt8 = 0x5b
    static let network: UInt8 = 0xd3

    static func encode(_ key: PublicKey, version: UInt8) -> String {
        var bytes = [version] + key.rawRepresentation
        let checksum = CRC16.checksum(bytes)
        bytes.append(UInt8(checksum & 0xff))
        bytes.append(UInt8(checksum >> 8))
        return Base58.encode(bytes)
    }

    // The order of the checks is the reference's.
    static func decode(_ text: String, version: UInt8) throws(AddressError) -> PublicKey {
        guard let bytes = Base58.decode(text) else { throw .notBase58 }
        guard bytes.count >= 3 else { throw .tooShort(byteCount: bytes.count) }
        guard bytes[0] == version else { throw .wrongVersion(expected: version, found: bytes[0]) }
        let checksum = UInt16(bytes[bytes.count - 1]) << 8 | UInt16(bytes[bytes.count - 2])
        guard CRC16.checksum(bytes.dropLast(2)) == checksum else { throw .wrongChecksum }
        let key = bytes.dropFirst().dropLast(2)
        guard key.count == PublicKey.byteCount else { throw .wrongLength(byteCount: key.count) }
        do {
            return try PublicKey(rawRepresentation: key)
        } catch {
            throw .notACurvePoint
        }
    }
}

extension PublicKey {
    /// Reads an account address, `A…`.
    ///
    /// - Throws: ``AddressError``, the first check that fails.
    public init(accountAddress: String) throws(AddressError) {
        self = try KeyText.decode(accountAddress, version: KeyText.account)
    }

    /// Reads a network id, `N…`.
    ///
    /// - Throws: ``AddressError``, the first check that fails.
    public init(networkId: String) throws(AddressError) {
        self = try KeyText.decode(networkId, version: KeyText.network)
    }

    /// The identity as text, `A…`: version byte 0x5b.
    public var accountAddress: String {
        KeyText.encode(self, version: KeyText.account)
    }

    /// The network id as text, `N…`: version byte 0xd3.
    public var networkId: String {
        KeyText.encode(self, version: KeyText.network)
    }
}

extension PublicKey: CustomStringConvertible {
    /// The account address.
    public var description: String { accountAddress }
}
