import AnySyncNet
import Dispatch
import PushCrypto
import SecretFiles

/// The push nodes that have ever spoken an encrypted kind with an account (`encrypted-peers`): a peer id on each line.
///
/// No secret, but whoever may write it may have the server spoken to in the open (SECURITY.md, "The path").
struct EncryptedPeersFile: Sendable {
    // A peer id has 52 characters.
    private static let maximumByteCount = 64 * EncryptedPeers.maximumCount

    private let file: SecretFile
    private let queue = DispatchQueue(label: "any.encrypted-peers")
    private let onFailure: @Sendable (String) -> Void

    /// The file of an account's directory.
    ///
    /// - Parameter onFailure: gets a line for the log.
    init(in directory: AccountDirectory, onFailure: @escaping @Sendable (String) -> Void) {
        file = SecretFile(path: directory.encryptedPeersPath)
        self.onFailure = onFailure
    }

    /// What connections the account may use, by the file and the configuration.
    ///
    /// A file that cannot be read stands for peers that are not known any more: then only encrypted kinds are used until
    /// it is readable again, for it was made by a node that speaks one.
    func policy(requiresEncryption: Bool) -> DialPolicy {
        var policy = DialPolicy()
        policy.requiresEncryption = requiresEncryption
        var known: [PeerId] = []
        do {
            known = try load()
        } catch {
            policy.requiresEncryption = true
            onFailure("\(error); only encrypted connections are made until the server starts with a good file")
        }
        policy.encryptedPeers = EncryptedPeers(known) { peers in
            // Not on the thread of the connections.
            queue.async { save(peers) }
        }
        return policy
    }

    /// Waits until what was handed out to be kept is on the disk.
    func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func load() throws -> [PeerId] {
        guard let content = try file.read(limit: Self.maximumByteCount) else { return [] }
        return try content.split(separator: UInt8(ascii: "\n")).map { line in
            guard let peer = try? PeerId(String(decoding: line, as: UTF8.self)) else {
                throw Damaged(path: file.path)
            }
            return peer
        }
    }

    private func save(_ peers: [PeerId]) {
        do {
            try file.replace(with: Array(peers.map { "\($0)\n" }.joined().utf8))
        } catch {
            onFailure("\(error); after a restart a connection that is not encrypted might be used with the push node")
        }
    }

    private struct Damaged: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) is damaged: a line of it is no peer id; remove the file" }
    }
}
