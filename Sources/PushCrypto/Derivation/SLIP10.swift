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
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.first == "m" else { throw .malformedPath(path) }
        for part in parts.dropFirst() {
            let digits = part.dropLast()
            // `UInt32` reads a sign as well, which a path must not have.
            guard part.last == "'", digits.first?.isNumber == true, let index = UInt32(digits) else {
                throw .malformedPath(path)
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
        var message: [UInt8] = [0]
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
