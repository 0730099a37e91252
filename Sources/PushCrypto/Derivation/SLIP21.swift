/// A node of a SLIP-0021 tree (protocol.md §1, "SLIP-21").
public struct SLIP21Node: Sendable {
    private static let masterKey = Array("Symmetric key seed".utf8)

    private let chainCodeBytes: SecretBytes
    private let key: SecretBytes

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
        chainCodeBytes = SecretBytes(node[..<32])
        key = SecretBytes(node[32...])
    }

    /// The node at a path under the master node of a seed.
    ///
    /// - Parameters:
    ///   - seed: any number of bytes.
    ///   - path: `m`, or `m/` and labels joined by `/`; a label may be empty unless the path is `m/` alone.
    /// - Throws: ``DerivationError/malformedPath(_:)``.
    public init(seed: some Collection<UInt8>, path: String) throws(DerivationError) {
        // By bytes: a combining mark after a slash must not hide it.
        let labels = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let root = labels.first, root.elementsEqual("m".utf8), path != "m/" else { throw .malformedPath(path) }
        self = labels.dropFirst().reduce(SLIP21Node(seed: seed)) { $0.child(label: $1) }
    }

    /// The child under a label.
    public func child(_ label: String) -> SLIP21Node {
        child(label: label.utf8)
    }

    private func child(label: some Collection<UInt8>) -> SLIP21Node {
        var node = chainCodeBytes.withBuffer { Digest.hmacSHA512(key: $0, [0] + label) }
        defer { Sodium.zero(&node) }
        return SLIP21Node(node: node)
    }

    /// The node's symmetric key.
    public var symmetricKey: SymmetricKey {
        key.withBuffer { SymmetricKey(checked: $0) }
    }

    /// A copy of the node's chain code, 32 bytes. The caller zeroes it.
    public func chainCode() -> [UInt8] {
        chainCodeBytes.copy()
    }
}
