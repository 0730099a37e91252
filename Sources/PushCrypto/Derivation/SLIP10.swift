/// A node of a SLIP-0010 tree for Ed25519: hardened children only (protocol.md §1, "SLIP-10").
public struct SLIP10Node: Sendable {
    private static let masterKey = Array("ed25519 seed".utf8)
    private static let hardenedOffset: UInt32 = 1 << 31

    private let key: SecretBytes
    private let chainCodeBytes: SecretBytes

    /// The master node of a seed.
    ///
    /// - Parameter seed: any number of bytes.
    public init(seed: some Collection<UInt8>) {
        var message = Array(seed)
        var node = Digest.hmacSHA512(key: Self.masterKey, message)
        defer {
            Sodium.zero(&message)
            Sodium.zero(&node)
        }
        self.init(node: node)
    }

    private init(node: [UInt8]) {
        key = SecretBytes(node[..<32])
        chainCodeBytes = SecretBytes(node[32...])
    }

    /// The node at a path under the master node of a seed.
    ///
    /// - Parameters:
    ///   - seed: any number of bytes.
    ///   - path: `m` or `m/0'/1'…`, every index hardened and below 2^31.
    /// - Throws: ``DerivationError``.
    public init(seed: some Collection<UInt8>, path: String) throws(DerivationError) {
        var node = SLIP10Node(seed: seed)
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let root = parts.first, root.elementsEqual("m".utf8) else { throw .malformedPath(path) }
        for part in parts.dropFirst() {
            let digits = part.dropLast()
            guard part.last == UInt8(ascii: "'"), !digits.isEmpty, digits.allSatisfy(isDigit) else {
                throw .malformedPath(path)
            }
            guard let index = UInt32(String(decoding: digits, as: UTF8.self)) else {
                throw .indexOutOfRange(String(decoding: part, as: UTF8.self))
            }
            node = try node.child(index)
        }
        self = node
    }

    /// The hardened child of this node.
    ///
    /// - Parameter index: below 2^31, without the hardening bit.
    /// - Throws: ``DerivationError/indexOutOfRange(_:)``.
    public func child(_ index: UInt32) throws(DerivationError) -> SLIP10Node {
        guard index < Self.hardenedOffset else { throw .indexOutOfRange("\(index)'") }
        let hardened = index + Self.hardenedOffset
        var message: [UInt8] = []
        // All at once: growing would leave the key behind in a buffer that nobody zeroes.
        message.reserveCapacity(1 + 32 + 4)
        message.append(0)
        key.withBuffer { message.append(contentsOf: $0) }
        for shift in [24, 16, 8, 0] as [UInt32] {
            message.append(UInt8(truncatingIfNeeded: hardened >> shift))
        }
        var node = chainCodeBytes.withBuffer { Digest.hmacSHA512(key: $0, message) }
        defer {
            Sodium.zero(&message)
            Sodium.zero(&node)
        }
        return SLIP10Node(node: node)
    }

    /// The Ed25519 key whose seed is this node's key.
    public var signingKey: SigningKey {
        key.withBuffer { SigningKey(checkedSeed: $0) }
    }

    /// A copy of the node's key, 32 bytes. The caller zeroes it.
    public func rawKey() -> [UInt8] {
        key.copy()
    }

    /// A copy of the node's chain code, 32 bytes. The caller zeroes it.
    public func chainCode() -> [UInt8] {
        chainCodeBytes.copy()
    }
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
