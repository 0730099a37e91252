import AnySyncNet
import PushCrypto
import SecretFiles

/// A node's own keys, `node.key` in its directory: the marshalled account key and peer key in hex, a line each.
struct NodeKeys {
    // Two marshalled keys of 68 bytes in hex, and a newline after each.
    private static let maximumByteCount = 512

    /// Why a node's keys cannot be used.
    enum Failure: Error, CustomStringConvertible {
        case damaged(path: String)

        var description: String {
            switch self {
            case .damaged(let path):
                "\(path) is damaged: restore it from a backup, or move it and the store beside it away to start with new "
                    + "keys, which makes this another node to its clients"
            }
        }
    }

    /// Where the keys are.
    var path: String { file.path }

    private let file: SecretFile

    init(in directory: String) {
        file = SecretFile(path: Paths.join(directory, "node.key"))
    }

    /// Reads the keys; `nil` when there are none.
    func read() throws -> LocalIdentity? {
        guard var content = try file.read(limit: Self.maximumByteCount) else { return nil }
        defer { Sodium.zero(&content) }
        let lines = content.split(separator: UInt8(ascii: "\n")).map(\.indices)
        guard lines.count == 2, let account = Self.key(content[lines[0]]), let peer = Self.key(content[lines[1]]) else {
            throw Failure.damaged(path: path)
        }
        return Self.identity(account, peer)
    }

    /// Makes keys and writes them.
    func make() throws -> LocalIdentity {
        let account = SigningKey()
        let peer = SigningKey()
        var content: [UInt8] = []
        // All at once: growing would leave a copy behind.
        content.reserveCapacity(Self.maximumByteCount)
        defer { Sodium.zero(&content) }
        for key in [account, peer] {
            var marshalled = key.marshalled()
            defer { Sodium.zero(&marshalled) }
            Hexadecimal.append(marshalled, to: &content)
            content.append(UInt8(ascii: "\n"))
        }
        try file.create(content)
        return Self.identity(account, peer)
    }

    private static func identity(_ account: SigningKey, _ peer: SigningKey) -> LocalIdentity {
        LocalIdentity(account: account, peer: peer)
    }

    private static func key(_ text: ArraySlice<UInt8>) -> SigningKey? {
        guard var marshalled = Hexadecimal.decode(text) else { return nil }
        defer { Sodium.zero(&marshalled) }
        return try? SigningKey(marshalled: marshalled)
    }
}
