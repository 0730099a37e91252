import CLoopbackOnly
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// Tests reach this machine only, whatever a library in their process is told.
struct LoopbackOnlyTests {
    @Test(.timeLimit(.minutes(5)), arguments: ConnectionKind.tested)
    func anotherMachineIsNotDialled(kind: ConnectionKind) async throws {
        let dialer = try TestPeer(clock: kind.clock)
        let before = loopback_only_refusals()
        for host in ["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"] {
            await #expect(throws: TransportError.self) {
                _ = try await dialer.transport(for: kind).dial(
                    Address(kind: kind, host: host, port: 443), peer: PeerId(publicKey: SigningKey().publicKey),
                    turn: DialTurn(version: 13))
            }
        }
        #expect(loopback_only_refusals() >= before + 3)
        await dialer.loop.shutdown()
    }
}
