import AnySyncWire
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

@Suite(.timeLimit(.minutes(5))) struct DialerTests {
    private func run(
        node: TestPeer, dialer: TestPeer, kind: ConnectionKind = .yamux,
        _ body: (any Listener, Dialer) async throws -> Void
    ) async throws {
        let listener = try await node.listen(kind)
        var failure: (any Error)?
        do {
            try await body(listener, Dialer(dialer.endpoint, transports: [TCPTransport(dialer.endpoint)]))
        } catch {
            failure = error
        }
        await dialer.loop.shutdown()
        await node.loop.shutdown()
        if let failure { throw failure }
    }

    @Test func versionsAreTriedAndTheOneThatWorksIsRemembered() async throws {
        let node = try TestPeer(version: 9, accepted: [8, 9])
        let dialer = try TestPeer()
        try await run(node: node, dialer: dialer) { listener, dial async throws in
            let address = listener.addresses[0]
            let first = try await dial.dial([address], peer: node.id)
            #expect(first.version == 9)
            // 13, 12, then 9.
            #expect(dialer.endpoint.counters.dialed == 3)
            // Counted once the node hears that the dialer has closed.
            await eventually { node.endpoint.counters.refused == [.credentialsRefused: 2] }
            _ = try await dial.dial([address], peer: node.id)
            #expect(dialer.endpoint.counters.dialed == 4)
        }
    }

    @Test func aPeerThatTakesNoVersionIsLeftInPeace() async throws {
        let clock = ManualClock()
        let node = try TestPeer(accepted: [99])
        let dialer = try TestPeer(clock: clock)
        try await run(node: node, dialer: dialer) { listener, dial async throws in
            let address = listener.addresses[0]
            await #expect {
                _ = try await dial.dial([address], peer: node.id)
            } throws: { error in
                // What the peer said last, with the versions of both sides and its code.
                "\(error)".contains("incompatible version (6) (ours: version 14, accepting")
                    && Self.wait(of: error) == .seconds(30)
            }
            #expect(dialer.endpoint.counters.dialed == 5)
            await clock.advance(by: .seconds(29), on: dialer.loop)
            await #expect {
                _ = try await dial.dial([address], peer: node.id)
            } throws: {
                Self.wait(of: $0) == .seconds(1)
            }
            #expect(dialer.endpoint.counters.dialed == 5)
            await clock.advance(by: .seconds(1), on: dialer.loop)
            await #expect(throws: TransportError.self) { _ = try await dial.dial([address], peer: node.id) }
            #expect(dialer.endpoint.counters.dialed == 10)
        }
    }

    private static func wait(of error: any Error) -> Duration? {
        guard case TransportError.noCommonVersion(_, let wait) = error else { return nil }
        return wait
    }

    @Test func bareAddressesPreferEncryption() async throws {
        let node = try TestPeer()
        let dialer = try TestPeer()
        try await run(node: node, dialer: dialer) { listener, dial async throws in
            let port = listener.addresses[0].port
            let connection = try await dial.dial([Address("127.0.0.1:\(port)")], peer: node.id)
            #expect(connection.kind == .tlsYamux)
            // A readable address that stands first is still tried last.
            let list = try [Address("yamux://127.0.0.1:\(port)"), Address("tls+yamux://127.0.0.1:\(port)")]
            #expect(try await dial.dial(list, peer: node.id).kind == .tlsYamux)
        }
    }

    @Test func whatAPeerDoesNotOfferIsPassedOver() async throws {
        let node = try TestPeer()
        let dialer = try TestPeer()
        try await run(node: node, dialer: dialer, kind: .tlsYamux) { listener, dial async throws in
            let port = listener.addresses[0].port
            await #expect(throws: TransportError.tls(.refusedByPeer(alert: 120))) {
                _ = try await dial.dial([Address("yamux://127.0.0.1:\(port)")], peer: node.id)
            }
            let list = try [Address("quic://127.0.0.1:\(port)"), Address("tls+yamux://127.0.0.1:\(port)")]
            #expect(try await dial.dial(list, peer: node.id).kind == .tlsYamux)
            await #expect(throws: TransportError.notSupported(.quic)) {
                _ = try await dial.dial([list[0]], peer: node.id)
            }
        }
    }

    @Test func unreachablePlacesAreTriedOnce() async throws {
        let node = try TestPeer()
        let dialer = try TestPeer()
        try await run(node: node, dialer: dialer) { listener, dial async throws in
            let address = listener.addresses[0]
            await listener.close()
            let bare = Address(kind: nil, host: address.host, port: address.port)
            await #expect(throws: TransportError.self) { _ = try await dial.dial([bare], peer: node.id) }
            #expect(dialer.endpoint.counters.dialed == 1)
            await #expect(throws: TransportError.allAddressesFailed([])) { _ = try await dial.dial([], peer: node.id) }
        }
    }

    @Test func nothingIsDialledOnALoopThatHasEnded() async throws {
        let node = try TestPeer()
        let dialer = try TestPeer()
        try await run(node: node, dialer: dialer) { listener, dial async throws in
            let connection = try await dial.dial([listener.addresses[0]], peer: node.id)
            let client = DRPCClient(connection: connection)
            await dialer.loop.shutdown()
            #expect(await connection.waitUntilClosed() == .shutDown)
            for host in ["127.0.0.1", "localhost"] {
                let address = Address(kind: .yamux, host: host, port: listener.addresses[0].port)
                await #expect(throws: TransportError.self) { _ = try await dial.dial([address], peer: node.id) }
            }
            await #expect(throws: TransportError.self) { _ = try await dialer.listen() }
            await #expect(throws: CallError.self) { _ = try await client.call("/x", [], timeout: .seconds(1)) }
        }
    }

    @Test func namesAreResolved() async throws {
        let node = try TestPeer()
        let dialer = try TestPeer()
        try await run(node: node, dialer: dialer) { listener, dial async throws in
            let address = Address(kind: .yamux, host: "localhost", port: listener.addresses[0].port)
            #expect(try await dial.dial([address], peer: node.id).remotePeerId == node.id)
        }
    }

    @Test func portsInUseAreRefused() async throws {
        let node = try TestPeer()
        let dialer = try TestPeer()
        try await run(node: node, dialer: dialer) { listener, _ async throws in
            await #expect(throws: TransportError.self) {
                _ = try await node.transport(for: .yamux).listen(on: listener.addresses[0])
            }
            await #expect(throws: TransportError.notSupported(.quic)) {
                _ = try await node.transport(for: .yamux).listen(on: Address("quic://127.0.0.1:0"))
            }
            let six = try await node.transport(for: .yamux).listen(on: Address("yamux://[::1]:0"))
            #expect(six.addresses[0].description.hasPrefix("yamux://[::1]:"))
            let connection = try await dialer.dial(six, of: node)
            #expect(connection.remoteAddress.hasPrefix("[::1]:"))
        }
    }

    @Test(arguments: ConnectionKind.tested)
    func aListenerThatSaysNothingIsOvertaken(kind: ConnectionKind) async throws {
        let clock = SkippingClock()
        let node = try TestPeer(clock: kind.clock)
        let dialer = try TestPeer(clock: clock)
        let silent = try SilentListener(for: kind)
        defer { silent.close() }
        let listener = try await node.listen(kind)
        let addresses = [Address(kind: kind, host: "127.0.0.1", port: silent.port), listener.addresses[0]]
        let dial = Dialer(dialer.endpoint, transports: dialer.transports)
        let dialing = Task { try await dial.dial(addresses, peer: node.id) }
        await eventually { dialer.endpoint.counters.dialed > 0 }
        await clock.skip(.milliseconds(250), on: dialer.loop)
        let connection = try await dialing.value
        #expect(connection.kind == kind)
        let counters = dialer.endpoint.counters
        #expect(counters.dialed == 2 && counters.establishedOutgoing == [kind: 1] && counters.openOutgoing == 1)
        await eventually { node.endpoint.counters.establishedIncoming == [kind: 1] }
        // Returns once the loop has no socket left.
        await dialer.loop.shutdown()
        await node.loop.shutdown()
    }
}
