import AnySyncNet
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnyServer

@Suite struct EncryptedPeersFileTests {
    private let folder: TemporaryDirectory
    private let peer = PeerId(publicKey: SigningKey().publicKey)
    private let complaints = SystemLock<[String]>([])

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func file() -> EncryptedPeersFile {
        EncryptedPeersFile(in: AccountDirectory(path: folder.path)) { [complaints] text in
            complaints.withLock { $0.append(text) }
        }
    }

    @Test func aPeerIsKeptForTheNextRun() async throws {
        let first = file()
        let policy = first.policy(requiresEncryption: false)
        #expect(policy.reason(for: peer) == nil)
        policy.encryptedPeers.insert(peer)
        await first.flush()
        #expect(try folder.text("encrypted-peers") == "\(peer)\n")
        #expect(folder.mode("encrypted-peers") == 0o600)
        let next = file().policy(requiresEncryption: false)
        #expect(next.reason(for: peer) == .spokenBefore)
        #expect(next.reason(for: PeerId(publicKey: SigningKey().publicKey)) == nil)
        #expect(complaints.withLock { $0.isEmpty })
    }

    @Test(arguments: ["12D3KooW\n", "\u{0}", String(repeating: "x", count: 10_000)])
    func whatCannotBeReadAllowsEncryptedKindsOnly(content: String) async throws {
        try folder.write(content, to: "encrypted-peers")
        let damaged = file()
        let policy = damaged.policy(requiresEncryption: false)
        #expect(policy.reason(for: peer) == .required)
        #expect(complaints.withLock { $0.count } == 1)
        // The next encrypted connection makes the file good again.
        policy.encryptedPeers.insert(peer)
        await damaged.flush()
        #expect(file().policy(requiresEncryption: false).reason(for: peer) == .spokenBefore)
    }

    @Test func aFileThatCannotBeWrittenIsSaid() async throws {
        let away = EncryptedPeersFile(in: AccountDirectory(path: folder.path("gone"))) { [complaints] text in
            complaints.withLock { $0.append(text) }
        }
        away.policy(requiresEncryption: false).encryptedPeers.insert(peer)
        await away.flush()
        #expect(complaints.withLock { $0.count } == 1)
    }
}
