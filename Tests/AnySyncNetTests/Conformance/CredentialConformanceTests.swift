import AnySyncWire
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// What every kind of connection does alike: credentials that are refused, and why, as the dialer reads it.
@Suite(.timeLimit(.minutes(5))) struct CredentialConformanceTests {
    /// What the two sides speak and accept.
    struct Versions: Sendable, CustomTestStringConvertible {
        var dialer: (says: UInt32, accepts: [UInt32])
        var listener: (says: UInt32, accepts: [UInt32])
        /// What the dialer reads; `nil` when the versions agree.
        var reason: HandshakeFailure.Reason?

        var testDescription: String { "\(dialer) to \(listener)" }
    }

    static let versions: [Versions] = [
        Versions(dialer: (8, [8, 9]), listener: (13, [8, 9, 12, 13, 14])),
        Versions(dialer: (12, [9, 12, 13]), listener: (13, [12, 13, 14])),
        Versions(dialer: (14, [13, 14]), listener: (13, [8, 9, 12, 13, 14])),
        Versions(
            dialer: (13, [8, 9, 12, 13, 14]), listener: (8, [8, 9]), reason: .refusedByPeer(.incompatibleVersion)),
        Versions(dialer: (8, [8, 9]), listener: (13, [12, 13, 14]), reason: .refusedByPeer(.incompatibleVersion)),
        Versions(
            dialer: (99, [13, 99]), listener: (13, [8, 9, 12, 13]), reason: .refusedByPeer(.incompatibleVersion)),
        // The listener answers with a version that the dialer says but does not take itself.
        Versions(dialer: (13, [8]), listener: (13, [13]), reason: .versionNotAccepted),
    ]

    @Test(arguments: ConnectionKind.tested, versions)
    func versionsAgreeOrAreNamed(kind: ConnectionKind, versions: Versions) async throws {
        let dialer = try TestPeer(clock: kind.clock, version: versions.dialer.says, accepted: versions.dialer.accepts)
        let node = try TestPeer(clock: kind.clock, version: versions.listener.says, accepted: versions.listener.accepts)
        let failure = try await handshakeFailure(dialer, node, kind)
        #expect(failure?.reason == versions.reason)
        if let failure {
            #expect(failure.localVersion == versions.dialer.says)
            #expect("\(failure)".contains("version \(versions.dialer.says)"))
            #expect(node.endpoint.counters.refused == [.credentialsRefused: 1])
            #expect(dialer.endpoint.counters.establishedOutgoing.isEmpty)
        } else {
            #expect(node.endpoint.connections.map(\.version) == [versions.dialer.says])
            #expect(dialer.endpoint.connections.map(\.version) == [versions.dialer.says])
        }
        #expect(node.endpoint.counters.establishedIncoming == (failure == nil ? [kind: 1] : [:]))
        await dialer.loop.shutdown()
        await node.loop.shutdown()
    }

    @Test(arguments: ConnectionKind.tested)
    func softwareThatMustNotConnect(kind: ConnectionKind) async throws {
        let dialer = try TestPeer(clock: kind.clock, software: "middle:v0.36.6")
        let node = try TestPeer(clock: kind.clock)
        #expect(try await handshakeFailure(dialer, node, kind)?.reason == .refusedByPeer(.incompatibleVersion))
        await dialer.loop.shutdown()
        await node.loop.shutdown()
    }

    @Test(arguments: ConnectionKind.tested)
    func aDialersProofOfAnotherDevice(kind: ConnectionKind) async throws {
        // Its account vouches for another device than its certificate proves.
        let certificate = try HostCertificate(peerKey: SigningKey(), validFrom: 0, until: 4_000_000_000)
        let dialer = try TestPeer(clock: kind.clock, certificate: certificate)
        let node = try TestPeer(clock: kind.clock)
        let failure = try await handshakeFailure(dialer, node, kind)
        #expect(failure?.reason == .refusedByPeer(.invalidCredentials))
        #expect(failure.map { "\($0)" }?.contains("the peer refused") == true)
        await dialer.loop.shutdown()
        await node.loop.shutdown()
    }

    /// What the dialer reads; `nil` when a connection came about.
    private func handshakeFailure(
        _ dialer: TestPeer, _ node: TestPeer, _ kind: ConnectionKind
    ) async throws -> HandshakeFailure? {
        let listener = try await node.listen(kind)
        let error = await dialError { try await dialer.dial(listener, of: node, kind: kind) }
        guard let error else {
            _ = await listener.nextConnection()
            return nil
        }
        guard case .handshake(let failure) = error else { throw error }
        // The node counts a refusal once the dialer has closed, which it hears through its listener.
        await eventually { !node.endpoint.counters.refused.isEmpty }
        await listener.close()
        return failure
    }
}
