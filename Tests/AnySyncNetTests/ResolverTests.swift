import AnySyncWire
import Dispatch
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

@Suite(.timeLimit(.minutes(5))) struct ResolverTests {
    /// A look-up that does not come back until it is let go, as the system's when no name server answers.
    private final class StuckLookUp: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let calls = SystemLock(0)
        var count: Int { calls.withLock { $0 } }

        func callAsFunction(_ host: String) -> Result<[SocketAddress], Resolver.LookUpFailure> {
            calls.withLock { $0 += 1 }
            semaphore.wait()
            return .success([])
        }

        func release() {
            for _ in 0..<count { semaphore.signal() }
        }

        func begun(_ number: Int) async {
            await eventually { count >= number }
        }
    }

    private func withStuckResolver(_ body: (Resolver, StuckLookUp, EventLoop, ManualClock) async throws -> Void)
        async throws
    {
        let stuck = StuckLookUp()
        let clock = ManualClock()
        let loop = try EventLoop(clock: clock)
        var failure: (any Error)?
        do { try await body(Resolver(threads: 1, lookUp: { stuck($0) }), stuck, loop, clock) } catch { failure = error }
        // Before the look-up has come back.
        await loop.shutdown()
        stuck.release()
        if let failure { throw failure }
    }

    private func lookUp(_ host: String, _ resolver: Resolver, _ loop: EventLoop) -> Task<[SocketAddress], any Error> {
        Task { try await resolver.addresses(of: host, port: 1, on: loop, timeout: .seconds(10)) }
    }

    @Test func aLoopThatShutsDownDoesNotWaitForALookUp() async throws {
        try await withStuckResolver { resolver, stuck, loop, _ async throws in
            let first = lookUp("a", resolver, loop)
            await stuck.begun(1)
            let second = lookUp("b", resolver, loop)
            await eventually { await loop.nextDeadline() != nil }
            await loop.shutdown()
            for waiting in [first, second, lookUp("c", resolver, loop)] {
                await #expect {
                    _ = try await waiting.value
                } throws: { error in
                    if case .closed(.shutDown, _) = error as? TransportError { true } else { false }
                }
            }
        }
    }

    @Test func aCancelledLookUpReturnsAtOnce() async throws {
        try await withStuckResolver { resolver, stuck, loop, _ async throws in
            let first = lookUp("a", resolver, loop)
            await stuck.begun(1)
            first.cancel()
            await #expect(throws: TransportError.cancelled) { try await first.value }
            let early = lookUp("b", resolver, loop)
            early.cancel()
            await #expect(throws: TransportError.cancelled) { try await early.value }
            let timer = await loop.nextDeadline()
            #expect(timer == nil)
            // IP addresses need no look-up.
            #expect(try await lookUp("::1", resolver, loop).value.map(\.description) == ["[::1]:1"])
        }
    }

    @Test func aLookUpHasADeadline() async throws {
        try await withStuckResolver { resolver, stuck, loop, clock async throws in
            let first = lookUp("a", resolver, loop)
            await stuck.begun(1)
            await eventually { await loop.nextDeadline() != nil }
            await clock.advance(by: .seconds(10), on: loop)
            await #expect(throws: TransportError.deadlineExceeded(.resolving)) { try await first.value }
        }
    }

    @Test func whatNobodyWaitsForAnyMoreIsNotLookedUp() async throws {
        let loop = try EventLoop()
        let stuck = StuckLookUp()
        let resolver = Resolver(threads: 1, lookUp: { stuck($0) })
        let first = lookUp("a", resolver, loop)
        await stuck.begun(1)
        let second = lookUp("b", resolver, loop)
        second.cancel()
        _ = await second.result
        stuck.release()
        #expect(try await first.value.isEmpty)
        let third = lookUp("c", resolver, loop)
        await stuck.begun(2)
        stuck.release()
        _ = try await third.value
        #expect(stuck.count == 2)
        await loop.shutdown()
    }

    @Test func unknownNamesAreSaidSo() async throws {
        let loop = try EventLoop()
        let resolver = Resolver(threads: 2, lookUp: { _ in .failure(.init(reason: "unknown")) })
        await #expect(throws: TransportError.cannotResolve(host: "a", reason: "unknown")) {
            _ = try await resolver.addresses(of: "a", port: 1, on: loop, timeout: .seconds(10))
        }
        await loop.shutdown()
    }

    @Test func theTwoFamiliesTakeTurns() throws {
        let addresses = ["::1", "::2", "::3", "1.1.1.1"].compactMap { SocketAddress(ip: $0, port: 1) }
        #expect(SocketAddress.interleaved(addresses).map(\.host) == ["::1", "1.1.1.1", "::2", "::3"])
        #expect(SocketAddress.interleaved(addresses.reversed()).map(\.host) == ["1.1.1.1", "::3", "::2", "::1"])
        #expect(SocketAddress.interleaved([]).isEmpty)
    }

    // MARK: Several addresses of one host

    private func dial(
        _ hosts: [String], port: UInt16, from dialer: TestPeer, to peer: PeerId
    ) -> Task<any Connection, any Error> {
        let resolver = Resolver(threads: 1) { _ in .success(hosts.compactMap { SocketAddress(ip: $0, port: 0) }) }
        let transport = TCPTransport(dialer.endpoint, resolver: resolver)
        return Task {
            try await transport.dial(
                Address(kind: .yamux, host: "name", port: port), peer: peer, turn: DialTurn(version: 13))
        }
    }

    @Test func anAddressThatRefusesIsPassedOver() async throws {
        let node = try TestPeer()
        let dialer = try TestPeer()
        let listener = try await node.listen()
        let port = listener.addresses[0].port
        let connection = try await dial(["127.0.0.2", "127.0.0.1"], port: port, from: dialer, to: node.id).value
        #expect(connection.remoteAddress == "127.0.0.1:\(port)")
        await #expect(throws: TransportError.self) {
            _ = try await dial(["127.0.0.2", "127.0.0.3"], port: port, from: dialer, to: node.id).value
        }
        await dialer.loop.shutdown()
        await node.loop.shutdown()
    }

    @Test func anAddressThatDoesNotAnswerIsOvertakenAndItsSocketClosed() async throws {
        let clock = ManualClock()
        let node = try TestPeer()
        let dialer = try TestPeer(clock: clock)
        let listener = try await node.listen()
        let port = listener.addresses[0].port
        let hole = try FullListener(host: "127.0.0.2", port: port)
        defer { hole.close() }
        let dialing = dial(["127.0.0.2", "127.0.0.1"], port: port, from: dialer, to: node.id)
        await eventually { await dialer.loop.nextDeadline() == .zero.advanced(by: .milliseconds(250)) }
        await clock.advance(by: .milliseconds(250), on: dialer.loop)
        let connection = try await dialing.value
        #expect(connection.remoteAddress == "127.0.0.1:\(port)")
        #expect(dialer.endpoint.counters.openOutgoing == 1)
        await connection.close(.local)
        // Ends only when no socket is open any more.
        await dialer.loop.shutdown()
        await node.loop.shutdown()
    }
}
