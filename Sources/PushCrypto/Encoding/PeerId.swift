import ProtoWire

/// The name of a device: base58 of the identity multihash of its peer key (protocol.md §1, "Peer id").
public struct PeerId: Hashable, Sendable, CustomStringConvertible {
    // Multihash code 0x00 (identity) and its length, then libp2p's PublicKey {Type 1 = Ed25519, Data of 32 bytes}.
    private static let multihashPrefix: [UInt8] = [0x00, 0x24]
    private static let libp2pPrefix: [UInt8] = [0x08, 0x01, 0x12, 0x20]

    /// The device's public key.
    public let publicKey: PublicKey

    /// The peer id of a key.
    public init(publicKey: PublicKey) {
        self.publicKey = publicKey
    }

    /// Reads a peer id, `12D3KooW…`.
    ///
    /// - Throws: ``AddressError``; ids that do not carry their key, such as `Qm…`, are ``AddressError/notAnEd25519PeerId``.
    public init(_ text: String) throws(AddressError) {
        guard let bytes = Base58.decode(text) else { throw .notBase58 }
        let prefix = Self.multihashPrefix + Self.libp2pPrefix
        guard bytes.starts(with: prefix) else { throw .notAnEd25519PeerId }
        let key = bytes.dropFirst(prefix.count)
        guard key.count == PublicKey.byteCount else { throw .wrongLength(byteCount: key.count) }
        do {
            publicKey = try PublicKey(rawRepresentation: key)
        } catch {
            throw .notACurvePoint
        }
    }

    /// The id as text.
    public var text: String {
        Base58.encode(Self.multihashPrefix + libp2pPublicKey)
    }

    /// The key as a libp2p `PublicKey` message, 36 bytes.
    public var libp2pPublicKey: [UInt8] {
        Self.libp2pPrefix + publicKey.rawRepresentation
    }

    public var description: String { text }
}
