import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// Who may connect, and who makes room.
@Suite(.timeLimit(.minutes(5))) struct AdmissionTests {
    private static let accounts = (0..<8).map { _ in SigningKey().publicKey }

    private func places(all: Int = 100, account: Int = 100, address: Int = 100) -> ConnectionPlaces<Int> {
        ConnectionPlaces(ConnectionPlaceLimits(all: all, perAccount: account, perAddress: address))
    }

    /// The lower the number, the longer it was idle.
    private func age(_ id: Int) -> MonotonicTime { MonotonicTime(nanoseconds: UInt64(id)) }

    private func admit(
        _ places: inout ConnectionPlaces<Int>, _ id: Int, account: Int, address: UInt64, others: Int = 0
    ) -> [Int]? {
        places.admit(
            id, account: Self.accounts[account], address: AddressGroup(address), others: others, lastUse: age)?.map(
                \.id)
    }

    @Test func theLongestIdleOfAnAccountMakesRoomForItsNext() {
        var places = places(account: 2)
        for id in 1...2 { #expect(admit(&places, id, account: 0, address: UInt64(id)) == []) }
        #expect(admit(&places, 3, account: 1, address: 1) == [])
        #expect(admit(&places, 4, account: 0, address: 9) == [1])
        #expect(places.count == 3)
    }

    @Test func atAFullAddressTheAccountWithTheMostMakesRoom() {
        var places = places(address: 3)
        #expect(admit(&places, 1, account: 0, address: 1) == [])
        #expect(admit(&places, 2, account: 1, address: 1) == [])
        #expect(admit(&places, 3, account: 1, address: 1) == [])
        #expect(admit(&places, 4, account: 2, address: 2) == [])
        #expect(admit(&places, 5, account: 3, address: 1) == [2])
    }

    @Test func whenAllPlacesAreTakenTheAddressWithTheMostMakesRoom() {
        var places = places(all: 4)
        // Idle for longest, and alone.
        #expect(admit(&places, 1, account: 0, address: 1) == [])
        for id in 2...4 { #expect(admit(&places, id, account: id, address: 2) == []) }
        #expect(admit(&places, 5, account: 5, address: 3) == [2])
        // Connections that this side has dialled take places too.
        #expect(admit(&places, 6, account: 6, address: 4, others: 1) == [3, 1])
    }

    @Test func whoHasNoPlaceEvenSoIsRefused() {
        var places = places(all: 1)
        #expect(admit(&places, 1, account: 0, address: 1, others: 1) == nil)
        #expect(places.count == 0)
        #expect(admit(&places, 1, account: 0, address: 1) == [])
        places.leave(1)
        places.leave(1)
        #expect(places.leastUseful(lastUse: age) == nil)
    }

    @Test func silentOnesMakeRoomBeforeThoseThatSpeak() {
        var places = UnprovenPlaces<Int>(all: 4, perAddress: 3)
        for id in 1...3 { #expect(places.enter(id, from: AddressGroup(1), at: .zero) == []) }
        places.spoke(1)
        #expect(places.enter(4, from: AddressGroup(1), at: .zero) == [2])
        #expect(places.enter(5, from: AddressGroup(2), at: .zero) == [])
        #expect(places.enter(6, from: AddressGroup(3), at: .zero) == [3])
        places.spoke(4)
        #expect(places.enter(7, from: AddressGroup(3), at: .zero) == [1])
        #expect(places.count == 4)
        places.leave(4)
        #expect(places.worst == 6)
    }

    @Test func nobodyGoesBeforeThereWasTimeToBeHeard() {
        var places = UnprovenPlaces<Int>(all: 2, perAddress: 2)
        #expect(places.enter(1, from: AddressGroup(1), at: .zero) == [])
        #expect(places.room(now: .zero) == nil)
        #expect(places.enter(2, from: AddressGroup(1), at: .zero.advanced(by: .milliseconds(5))) == [])
        #expect(places.room(now: .zero.advanced(by: .milliseconds(5))) == .zero.advanced(by: .milliseconds(50)))
        #expect(places.room(now: .zero.advanced(by: .milliseconds(50))) == nil)
        // Whoever spoke stays; the other one is to be heard too.
        places.spoke(1)
        #expect(places.room(now: .zero.advanced(by: .milliseconds(50))) == .zero.advanced(by: .milliseconds(55)))
        places.spoke(2)
        #expect(places.room(now: .zero.advanced(by: .milliseconds(50))) == nil)

        var ofOneAddress = UnprovenPlaces<Int>(all: 9, perAddress: 2)
        for id in 1...2 { #expect(ofOneAddress.enter(id, from: AddressGroup(1), at: .zero) == []) }
        #expect(ofOneAddress.room(now: .zero) == .zero.advanced(by: .milliseconds(50)))
    }

    @Test func limitsFitTheDescriptors() {
        var limits = NetLimits()
        #expect(limits.fitted(toDescriptors: 1_000_000) == limits)
        let few = limits.fitted(toDescriptors: 40)
        #expect(few.connections + few.unfinishedHandshakes <= 20)
        #expect(few.unfinishedHandshakes >= 2)
        let none = limits.fitted(toDescriptors: 0)
        #expect(none.connections == 2)
        limits.connections = 10
        #expect(limits.fitted(toDescriptors: 1000).connections == 10)
        Descriptors.raiseLimit()
        #expect(Descriptors.available <= Descriptors.limit)
        #expect(Descriptors.openCount > 0)
    }

    @Test func anIPv4AddressIsTheSameWhicheverSocketShowsIt() throws {
        func group(_ ip: String) throws -> AddressGroup { AddressGroup(try #require(SocketAddress(ip: ip, port: 1))) }
        #expect(try group("::ffff:192.0.2.1") == group("192.0.2.1"))
        #expect(try group("::ffff:192.0.2.1") != group("192.0.2.2"))
        #expect(try group("2001:db8::1") == group("2001:db8::ffff:1"))
        #expect(try group("2001:db8::1") != group("2001:db8:0:1::1"))
        #expect(try group("192.0.2.1").description == "192.0.2.1")
        #expect(try group("2001:db8::1").description == "2001:db8:0:0::/64")
    }

    // MARK: Over sockets

    /// Proven peers that do nothing take every place; another one is served.
    @Test(arguments: ConnectionKind.tested) func idlePeersMakeRoomForANewcomer(kind: ConnectionKind) async throws {
        var limits = NetLimits()
        limits.connections = 6
        let events = SystemLock<[NetEvent]>([])
        let node = try TestPeer(
            clock: kind.clock, limits: limits, onEvent: { event in events.withLock { $0.append(event) } })
        let server = DRPCServer(handler: DRPCTests.TestHandler())
        let listener = try await node.listen(kind)
        let serving = Task { await server.serve(listener) }
        var peers: [TestPeer] = []
        for _ in 0..<6 {
            let peer = try TestPeer(clock: kind.clock)
            _ = try await peer.dial(listener, of: node, kind: kind)
            peers.append(peer)
        }
        await eventually { node.endpoint.counters.openIncoming == 6 }
        #expect(events.withLock { $0 } == [])
        let honest = try TestPeer(clock: kind.clock)
        peers.append(honest)
        let client = DRPCClient(connection: try await honest.dial(listener, of: node, kind: kind))
        #expect(try await client.answer("/test/Echo", [5], timeout: .seconds(60)) == [5])
        await eventually { node.endpoint.counters.closed[.crowdedOut] == 1 }
        #expect(events.withLock { $0 } == [.connectionsFull(limit: 6)])
        await client.close()
        serving.cancel()
        await serving.value
        for peer in peers + [node] { await peer.loop.shutdown() }
    }

    /// Sockets that say nothing take every place of those that have proven nothing; a peer gets through.
    @Test func silentSocketsMakeRoomForANewcomer() async throws {
        var limits = NetLimits()
        limits.unfinishedHandshakes = 4
        let events = SystemLock<[NetEvent]>([])
        // Time goes on by itself: each is given some to be heard.
        let node = try TestPeer(
            clock: MonotonicClock(), limits: limits, onEvent: { event in events.withLock { $0.append(event) } })
        let peer = try TestPeer()
        let listener = try await node.listen()
        var silent: [RawSocket] = []
        for _ in 0..<8 { silent.append(try await RawSocket.connect(to: listener.addresses[0], on: peer.loop)) }
        await eventually { node.endpoint.counters.refused[.handshakesShed] == 4 }
        let connection = try await peer.dial(listener, of: node)
        #expect(await connection.status.closed == nil)
        #expect(events.withLock { $0 }.allSatisfy { $0 == .handshakesFull(limit: 4) })
        for socket in silent { await socket.close() }
        await peer.loop.shutdown()
        await node.loop.shutdown()
    }

    /// Both sides say why a handshake came to nothing, with the versions of both.
    @Test(arguments: ConnectionKind.tested) func refusedVersionsAreToldOnBothSides(kind: ConnectionKind) async throws {
        let events = SystemLock<[NetEvent]>([])
        let dialed = SystemLock<[NetEvent]>([])
        let node = try TestPeer(
            clock: kind.clock, version: 8, accepted: [8], onEvent: { event in events.withLock { $0.append(event) } })
        let peer = try TestPeer(
            clock: kind.clock, version: 13, accepted: [13], onEvent: { event in dialed.withLock { $0.append(event) } })
        let listener = try await node.listen(kind)
        let dialer = Dialer(peer.endpoint, transports: peer.transports)
        do {
            _ = try await dialer.dial([listener.addresses[0].with(kind: kind)], peer: node.id)
            Issue.record("a refused version was taken")
        } catch {}
        await eventually { events.withLock { $0.count } == 1 && dialed.withLock { $0.count } == 1 }
        guard case .handshakeRefused(let failure, isIncoming: true) = events.withLock({ $0[0] }) else {
            Issue.record("found \(events.withLock { $0 })")
            return
        }
        #expect(failure.reason == .versionNotAccepted)
        #expect(failure.localVersion == 8 && failure.acceptedVersions == [8] && failure.remoteVersion == 13)
        #expect(dialed.withLock { $0[0] }.description.contains("ours: version 13, accepting 13"))
        await peer.loop.shutdown()
        await node.loop.shutdown()
    }

    @Test func versionsMustMakeSense() throws {
        #expect(try ProtocolVersions(own: nil, accepted: nil) == .standard)
        #expect(try ProtocolVersions(own: 99, accepted: nil).accepted.last == 99)
        #expect(throws: ProtocolVersionError.ownNotAccepted(13, accepted: [8])) {
            try ProtocolVersions(own: nil, accepted: [8])
        }
        #expect(throws: ProtocolVersionError.nothingAccepted) { try ProtocolVersions(own: 8, accepted: []) }
        #expect(throws: ProtocolVersionError.zero) { try ProtocolVersions(own: 0, accepted: [1]) }
    }
}
