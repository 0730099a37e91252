import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// SECURITY.md, "The path": who resets encrypted dials does not bring about bare yamux with a peer that knows better.
@Suite(.timeLimit(.minutes(5))) struct DialPolicyTests {
    private func run(
        _ policy: DialPolicy = DialPolicy(), _ body: (Address, TestPeer, Dialer, PathAttacker) async throws -> Void
    ) async throws {
        let node = try TestPeer()
        let peer = try TestPeer()
        let listener = try await node.listen(.yamux)
        let attacker = PathAttacker(TCPTransport(peer.endpoint))
        var failure: (any Error)?
        do {
            let bare = Address(kind: nil, host: "127.0.0.1", port: listener.addresses[0].port)
            try await body(bare, node, Dialer(peer.endpoint, transports: [attacker], policy: policy), attacker)
        } catch {
            failure = error
        }
        await peer.loop.shutdown()
        await node.loop.shutdown()
        if let failure { throw failure }
    }

    @Test func aPeerThatWasSeenEncryptedIsNeverSpokenToInTheOpenAgain() async throws {
        try await run { bare, node, dialer, attacker async throws in
            let first = try await dialer.dial([bare], peer: node.id)
            #expect(first.kind == .tlsYamux)
            attacker.isResetting = true
            await #expect(throws: TransportError.self) { _ = try await dialer.dial([bare], peer: node.id) }
            let written = bare.with(kind: .yamux)
            await #expect(throws: TransportError.encryptionRequired(.spokenBefore)) {
                _ = try await dialer.dial([written], peer: node.id)
            }
            #expect(!attacker.dialed.contains(.yamux))
            attacker.isResetting = false
            let second = try await dialer.dial([written, bare], peer: node.id)
            #expect(second.kind == .tlsYamux)
        }
    }

    @Test func whatAnEarlierRunHasSeenCounts() async throws {
        let kept = SystemLock<[[PeerId]]>([])
        let before = EncryptedPeers { peers in kept.withLock { $0.append(peers) } }
        var policy = DialPolicy()
        policy.encryptedPeers = before
        try await run(policy) { bare, node, dialer, _ async throws in
            _ = try await dialer.dial([bare], peer: node.id)
            _ = try await dialer.dial([bare], peer: node.id)
            #expect(kept.withLock { $0 } == [[node.id]], "said once")
            policy.encryptedPeers = EncryptedPeers(kept.withLock { $0.last ?? [] })
            #expect(policy.reason(for: node.id) == .spokenBefore)
        }
    }

    @Test func aPeerThatWasNeverSeenEncryptedIsReachedInTheOpenAsALastResort() async throws {
        try await run { bare, node, dialer, attacker async throws in
            attacker.isResetting = true
            let connection = try await dialer.dial([bare], peer: node.id)
            #expect(connection.kind == .yamux)
            // Looked for while the readable connection is in use.
            await #expect(throws: TransportError.self) {
                _ = try await dialer.dial([bare], peer: node.id, onlyEncrypted: true)
            }
            await #expect(throws: TransportError.encryptionRequired(.required)) {
                _ = try await dialer.dial([bare.with(kind: .yamux)], peer: node.id, onlyEncrypted: true)
            }
        }
    }

    @Test func encryptionThatIsRequiredIsRequiredOfEveryPeer() async throws {
        var policy = DialPolicy()
        policy.requiresEncryption = true
        try await run(policy) { bare, node, dialer, attacker async throws in
            await #expect(throws: TransportError.encryptionRequired(.required)) {
                _ = try await dialer.dial([bare.with(kind: .yamux)], peer: node.id)
            }
            attacker.isResetting = true
            await #expect(throws: TransportError.self) { _ = try await dialer.dial([bare], peer: node.id) }
            #expect(!attacker.dialed.contains(.yamux))
        }
    }

    @Test func theOldestPeerIsForgottenFirst() throws {
        let peers = (0...EncryptedPeers.maximumCount).map { _ in PeerId(publicKey: SigningKey().publicKey) }
        let set = EncryptedPeers()
        for peer in peers { set.insert(peer) }
        #expect(!set.contains(peers[0]) && set.contains(peers[1]))
        #expect(peers.dropFirst().allSatisfy(set.contains))
    }

    @Test func anAddressWithoutASchemeIsListenedOnForEncryptedKindsOnly() async throws {
        let node = try TestPeer()
        let peer = try TestPeer()
        let listener = try await node.transport(for: .yamux).listen(on: Address("127.0.0.1:0"))
        let address = listener.addresses[0]
        #expect(address.kind == .tlsYamux)
        let dialer = Dialer(peer.endpoint, transports: [TCPTransport(peer.endpoint)])
        await #expect(throws: TransportError.tls(.refusedByPeer(alert: 120))) {
            _ = try await dialer.dial([address.with(kind: .yamux)], peer: node.id)
        }
        #expect(try await dialer.dial([address], peer: node.id).kind == .tlsYamux)
        await peer.loop.shutdown()
        await node.loop.shutdown()
    }
}

/// A transport with somebody on the path who resets what cannot be read there.
private final class PathAttacker: Transport {
    private struct State {
        var isResetting = false
        var dialed: [ConnectionKind] = []
    }

    private let transport: any Transport
    private let state = SystemLock(State())

    var kinds: Set<ConnectionKind> { transport.kinds }
    var dialed: [ConnectionKind] { state.withLock { $0.dialed } }
    var isResetting: Bool {
        get { state.withLock { $0.isResetting } }
        set { state.withLock { $0.isResetting = newValue } }
    }

    init(_ transport: any Transport) { self.transport = transport }

    func dial(_ address: Address, peer: PeerId, turn: DialTurn) async throws(TransportError) -> any Connection {
        let isReset = state.withLock { state in
            if let kind = address.kind { state.dialed.append(kind) }
            return state.isResetting && address.kind?.isEncrypted == true
        }
        guard !isReset else { throw .closed(.socketError, detail: "connection reset by peer") }
        return try await transport.dial(address, peer: peer, turn: turn)
    }

    func listen(on address: Address) async throws(TransportError) -> any Listener {
        try await transport.listen(on: address)
    }
}
