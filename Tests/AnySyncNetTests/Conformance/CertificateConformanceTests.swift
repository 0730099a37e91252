import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// What every kind of connection does alike: certificates that are refused, by either side, with the reason at both.
@Suite(.timeLimit(.minutes(5))) struct CertificateConformanceTests {
    /// A certificate that must be refused, and how.
    struct BadCertificate: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var copies = 1
        let make: @Sendable () -> TestCertificate
        let isExpected: @Sendable (CertificateError) -> Bool

        init(
            _ name: String, _ change: @escaping @Sendable (inout TestCertificate) -> Void,
            isExpected: @escaping @Sendable (CertificateError) -> Bool
        ) {
            testDescription = name
            make = {
                var certificate = TestCertificate()
                change(&certificate)
                return certificate
            }
            self.isExpected = isExpected
        }

        static let all: [BadCertificate] = [
            BadCertificate("expired", { $0.validity.until = "20210101000000Z" }) {
                if case .expired = $0 { true } else { false }
            },
            BadCertificate("not yet valid", { $0.validity.from = "21000101000000Z" }) {
                if case .notYetValid = $0 { true } else { false }
            },
            hostKey("RSA", 0, .rsa), hostKey("secp256k1", 2, .secp256k1), hostKey("ECDSA", 3, .ecdsa),
            BadCertificate("key not signed", { $0.signedMessage = { _ in [1] } }) { $0 == .hostSignatureInvalid },
            BadCertificate("not self-signed", { $0.isSignedByOtherKey = true }) { $0 == .selfSignatureInvalid },
            BadCertificate("no extension", { $0.extensionCount = 0 }) { $0 == .extensionMissing },
            BadCertificate(
                "unknown critical extension",
                { $0.moreExtensions = [TestCertificate.extension(oid: [0x2a, 0x03, 0x04], true, [1])] }
            ) { $0 == .unknownCriticalExtension("1.2.3.4") },
        ]

        private static func hostKey(
            _ name: String, _ number: UInt8, _ type: CertificateError.HostKeyType
        ) -> BadCertificate {
            BadCertificate("\(name) host key", { $0 = .withHostKey(type: number) }) { error in
                error == .unsupportedHostKey(type) && "\(error)".contains("unsupported key type")
            }
        }
    }

    @Test(arguments: ConnectionKind.tested, BadCertificate.all)
    func aDialersBadCertificate(kind: ConnectionKind, bad: BadCertificate) async throws {
        let dialer = try TestPeer(clock: kind.clock, certificate: bad.make().hostCertificate())
        let node = try TestPeer(clock: kind.clock)
        let listener = try await node.listen(kind)
        let error = await dialError { try await dialer.dial(listener, of: node, kind: kind) }
        guard case .tls(.refusedByPeer) = error else {
            Issue.record("the dialer's error is \(String(describing: error))")
            return await end(dialer, node)
        }
        await eventually { !node.endpoint.counters.refused.isEmpty }
        #expect(node.endpoint.counters.refused == [.certificateRefused: 1])
        #expect(node.endpoint.counters.establishedIncoming.isEmpty)
        try await expectService(node, listener, kind)
        await end(dialer, node)
    }

    @Test(arguments: ConnectionKind.tested, BadCertificate.all)
    func aListenersBadCertificate(kind: ConnectionKind, bad: BadCertificate) async throws {
        let dialer = try TestPeer(clock: kind.clock)
        let node = try TestPeer(clock: kind.clock, certificate: bad.make().hostCertificate())
        let listener = try await node.listen(kind)
        let error = await dialError { try await dialer.dial(listener, of: node, kind: kind) }
        if case .certificate(let reason) = error {
            #expect(bad.isExpected(reason), "\(reason)")
        } else {
            Issue.record("the dialer's error is \(String(describing: error))")
        }
        await eventually { !node.endpoint.counters.refused.isEmpty }
        #expect(node.endpoint.counters.establishedIncoming.isEmpty)
        #expect(dialer.endpoint.counters.establishedOutgoing.isEmpty)
        await end(dialer, node)
    }

    @Test(arguments: ConnectionKind.tested)
    func twoCertificates(kind: ConnectionKind) async throws {
        let doubled = try TestCertificate().hostCertificate(copies: 2)
        let dialer = try TestPeer(clock: kind.clock, certificate: doubled)
        let node = try TestPeer(clock: kind.clock)
        let listener = try await node.listen(kind)
        let error = await dialError { try await dialer.dial(listener, of: node, kind: kind) }
        #expect(error == .tls(.refusedByPeer(alert: 42)))
        await eventually { !node.endpoint.counters.refused.isEmpty }
        #expect(node.endpoint.counters.refused == [.certificateRefused: 1])
        await end(dialer, node)

        let other = try TestPeer(clock: kind.clock, certificate: doubled)
        let bystander = try TestPeer(clock: kind.clock)
        let second = try await other.listen(kind)
        let reason = await dialError { try await bystander.dial(second, of: other, kind: kind) }
        #expect(reason == .certificate(.chainLength(found: 2)))
        await end(other, bystander)
    }

    @Test(arguments: ConnectionKind.tested)
    func noCertificate(kind: ConnectionKind) async throws {
        let dialer = try TestPeer(clock: kind.clock, certificate: TestCertificate().hostCertificate(copies: 0))
        let node = try TestPeer(clock: kind.clock)
        let listener = try await node.listen(kind)
        let error = await dialError { try await dialer.dial(listener, of: node, kind: kind) }
        #expect(error == .tls(.refusedByPeer(alert: 116)))
        await eventually { !node.endpoint.counters.refused.isEmpty }
        #expect(node.endpoint.counters.refused == [.tlsFailed: 1])
        try await expectService(node, listener, kind)
        await end(dialer, node)
    }

    @Test(arguments: ConnectionKind.tested)
    func anotherPeerThanTheOneDialled(kind: ConnectionKind) async throws {
        let dialer = try TestPeer(clock: kind.clock)
        let node = try TestPeer(clock: kind.clock)
        let listener = try await node.listen(kind)
        let expected = PeerId(publicKey: SigningKey().publicKey)
        let error = await dialError {
            try await dialer.transport(for: kind).dial(
                listener.addresses[0].with(kind: kind), peer: expected, turn: DialTurn(version: 13))
        }
        #expect(error == .wrongPeer(expected: expected, found: node.id))
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains(expected.text) && text.contains(node.id.text))
        await eventually { !node.endpoint.counters.refused.isEmpty }
        #expect(node.endpoint.counters.establishedIncoming.isEmpty)
        await end(dialer, node)
    }

    private func end(_ peers: TestPeer...) async {
        for peer in peers { await peer.loop.shutdown() }
    }
}

/// The error of a dial that must not succeed.
func dialError(_ dial: () async throws -> any Connection) async -> TransportError? {
    do {
        _ = try await dial()
        return nil
    } catch {
        return error as? TransportError
    }
}

/// That a well-behaved peer is served.
func expectService(_ node: TestPeer, _ listener: any Listener, _ kind: ConnectionKind) async throws {
    let peer = try TestPeer(clock: kind.clock)
    let connection = try await peer.dial(listener, of: node, kind: kind)
    let stream = try await connection.openStream()
    try await stream.write([1])
    var incoming: (any Connection)?
    repeat { incoming = await listener.nextConnection() } while incoming?.remotePeerId != peer.id
    let other = try #require(await incoming?.nextStream())
    #expect(try await other.read(exactly: 1) == [1])
    await peer.loop.shutdown()
}
