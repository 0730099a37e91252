import PushCrypto
import SQLiteStorage

// The node that a store belongs to.
extension SQLiteConnection {
    /// Makes the store a node's, when it is nobody's.
    ///
    /// - Returns: whose it is now; `nil` for a peer id that cannot be read.
    func claim(for node: PeerId) throws(SQLiteError) -> PeerId? {
        try run("INSERT OR IGNORE INTO owner (id, peer) VALUES (1, ?)", .bytes(node.publicKey.rawRepresentation))
        let owner = try first("SELECT peer FROM owner") { $0.bytes(0) }
        return owner.flatMap { try? PublicKey(rawRepresentation: $0) }.map { PeerId(publicKey: $0) }
    }
}
