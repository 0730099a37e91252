import CLoopbackOnly
import Glibc
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// Tests reach this machine only, whatever a library in their process is told.
struct LoopbackOnlyTests {
    @Test func noNameServerIsAsked() {
        var list: UnsafeMutablePointer<addrinfo>?
        for name in ["anytype-push-server.anytype.io", "node.example"] {
            let before = loopback_only_refusals()
            #expect(getaddrinfo(name, nil, nil, &list) == EAI_NONAME)
            #expect(loopback_only_refusals() > before)
        }
        for name in ["localhost", "127.0.0.1", "::1"] {
            #expect(getaddrinfo(name, nil, nil, &list) == 0)
            freeaddrinfo(list)
        }
    }

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
