import AnySyncWire
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// Who starts when, and who wins, with paths that go as a test says, on virtual time.
@Suite(.timeLimit(.minutes(5))) struct DialRaceTests {
    private let quic = Address(kind: .quic, host: "a", port: 1)
    private let tls = Address(kind: .tlsYamux, host: "b", port: 1)
    private let bare = Address(kind: .yamux, host: "c", port: 1)

    private struct Race {
        let clock: ManualClock
        let loop: EventLoop
        let transport: ScriptedTransport
        let dialer: Dialer
        let peer = PeerId(publicKey: SigningKey().publicKey)

        // A peer that was seen to speak an encrypted kind is spoken to in no other.
        let neverEncrypted = PeerId(publicKey: SigningKey().publicKey)

        func dial(_ addresses: [Address], of peer: PeerId? = nil) -> Task<any Connection, any Error> {
            Task { try await dialer.dial(addresses, peer: peer ?? self.peer) }
        }

        /// Moves the time once the race waits for a moment.
        func advance(by duration: Duration) async {
            await eventually { await loop.nextDeadline() != nil }
            await clock.advance(by: duration, on: loop)
        }
    }

    private func run(_ body: (Race) async throws -> Void) async throws {
        let clock = ManualClock()
        let peer = try TestPeer(clock: clock)
        let transport = ScriptedTransport(peer.loop)
        let race = Race(
            clock: clock, loop: peer.loop, transport: transport,
            dialer: Dialer(peer.endpoint, transports: [transport]))
        var failure: (any Error)?
        do { try await body(race) } catch { failure = error }
        #expect(transport.running.isEmpty)
        let timer = await peer.loop.nextDeadline()
        #expect(timer == nil)
        await peer.loop.shutdown()
        if let failure { throw failure }
    }

    @Test func theNextAddressStartsAfterTheDelayAndTheFirstSuccessWins() async throws {
        try await run { race async throws in
            // Encrypted ones first, in their order.
            let dialing = race.dial([bare, quic, tls])
            await race.transport.dials(1)
            await race.advance(by: .milliseconds(249))
            #expect(race.transport.started == [quic])
            await race.advance(by: .milliseconds(1))
            await race.transport.dials(2)
            #expect(race.transport.running == [quic, tls])
            race.transport.open(tls)
            #expect(try await dialing.value.kind == .tlsYamux)
            #expect(race.transport.running.isEmpty)
            #expect(race.transport.started == [quic, tls])
            #expect(race.transport.connections.count == 1)
        }
    }

    @Test func aFailureStartsTheNextAtOnce() async throws {
        try await run { race async throws in
            race.transport.decide(quic, .path, .cannotConnect(address: "a", reason: "refused"))
            race.transport.decide(tls, .path, .tls(.endedByPeer))
            race.transport.open(bare)
            #expect(try await race.dial([quic, tls, bare]).value.kind == .yamux)
            #expect(race.transport.started == [quic, tls, bare])
        }
    }

    @Test func whatIsReadableWaitsForWhatIsEncrypted() async throws {
        try await run { race async throws in
            race.transport.open(bare)
            race.transport.decide(quic, .path, .cannotConnect(address: "a", reason: "refused"))
            let dialing = race.dial([bare, quic, tls])
            await race.transport.dials(2)
            await race.advance(by: .milliseconds(4_999))
            #expect(race.transport.started == [quic, tls])
            race.transport.open(tls)
            #expect(try await dialing.value.kind == .tlsYamux)
            #expect(race.transport.started == [quic, tls])
        }
    }

    @Test func whatIsReadableStartsOnceTheEncryptedHaveHadTheirTime() async throws {
        try await run { race async throws in
            let dialing = race.dial([bare, tls])
            await race.transport.dials(1)
            await race.advance(by: .seconds(5))
            await race.transport.dials(2)
            #expect(race.transport.started == [tls, bare])
            // Both run: the encrypted one may still win.
            race.transport.open(tls)
            #expect(try await dialing.value.kind == .tlsYamux)
            race.transport.forget(tls)

            race.transport.open(bare)
            let again = race.dial([bare, tls], of: race.neverEncrypted)
            await race.transport.dials(3)
            await race.advance(by: .seconds(5))
            #expect(try await again.value.kind == .yamux)
            #expect(race.transport.started == [tls, bare, tls, bare])
        }
    }

    @Test func addressesThatWereSilentGetLessTimeAndAreForgiven() async throws {
        try await run { race async throws in
            race.transport.open(bare)
            for (dial, time) in [Duration.seconds(5), .seconds(1), .seconds(1)].enumerated() {
                let dialing = race.dial([tls, bare])
                await race.transport.dials(2 * dial + 1)
                await race.advance(by: time - .milliseconds(1))
                #expect(race.transport.started.count == 2 * dial + 1)
                await race.advance(by: .milliseconds(1))
                #expect(try await dialing.value.kind == .yamux)
            }
            // It answers, if only to refuse.
            race.transport.decide(tls, .path, .cannotConnect(address: "", reason: "refused"))
            #expect(try await race.dial([tls, bare]).value.kind == .yamux)
            race.transport.forget(tls)
            let dialing = race.dial([tls, bare])
            await race.transport.dials(9)
            await race.advance(by: .milliseconds(4_999))
            #expect(race.transport.started.count == 9)
            await race.advance(by: .milliseconds(1))
            #expect(try await dialing.value.kind == .yamux)
        }
    }

    @Test func whatWorkedIsTriedFirstButNeverBeforeEncryptedOnes() async throws {
        try await run { race async throws in
            let refused = TransportError.cannotConnect(address: "", reason: "refused")
            let other = Address(kind: .yamux, host: "d", port: 1)
            race.transport.decide(quic, .path, refused)
            race.transport.open(tls)
            _ = try await race.dial([quic, tls]).value
            _ = try await race.dial([quic, tls]).value
            #expect(race.transport.started == [quic, tls, tls])
            race.transport.decide(tls, .path, refused)
            race.transport.decide(bare, .path, refused)
            race.transport.open(other)
            for _ in 0..<2 { _ = try await race.dial([quic, tls, bare, other], of: race.neverEncrypted).value }
            #expect(race.transport.started.suffix(7) == [quic, tls, bare, other] + [quic, tls, other])
        }
    }

    @Test func attemptsShowTheirCredentialsOneAtATime() async throws {
        try await run { race async throws in
            let dialing = race.dial([quic, tls])
            await race.transport.dials(1)
            await race.advance(by: .milliseconds(250))
            await race.transport.dials(2)
            race.transport.decide(quic)
            await eventually { !race.transport.versions.isEmpty }
            // The other path is proven too, and waits.
            race.transport.decide(tls, .credentials)
            race.transport.decide(tls)
            for _ in 0..<50 { await Task.yield() }
            #expect(race.transport.versions == [13])
            // The first one's end lets it go on.
            race.transport.decide(quic, .credentials, .closed(.socketError, detail: ""))
            #expect(try await dialing.value.kind == .tlsYamux)
            #expect(race.transport.versions == [13, 13])
            #expect(race.transport.connections.count == 1)
        }
    }

    @Test func eachVersionIsShownOnceWhateverTheAddresses() async throws {
        try await run { race async throws in
            let dialing = race.dial([quic, tls])
            await race.transport.dials(1)
            await race.advance(by: .milliseconds(250))
            await race.transport.dials(2)
            for address in [quic, tls] { race.transport.decide(address) }
            for (round, version) in ([13, 12, 9, 8, 14] as [UInt32]).enumerated() {
                await eventually { race.transport.versions.count > round }
                #expect(race.transport.versions.last == version)
                // One of the two holds the turn; the verdict is for that one only.
                await race.transport.refuseCredentials(of: [quic, tls], refusal(of: version))
            }
            await #expect(throws: noCommonVersion(last: 14)) { try await dialing.value }
            #expect(race.transport.versions == [13, 12, 9, 8, 14])
        }
    }

    private func noCommonVersion(last version: UInt32) -> TransportError {
        guard case .handshake(let failure) = refusal(of: version) else { return .cancelled }
        return .noCommonVersion(last: failure, retryAfter: .seconds(30))
    }

    @Test func aCloseWithoutAReasonMayBeForTheVersion() async throws {
        try await run { race async throws in
            race.transport.decide(quic)
            let dialing = race.dial([quic])
            for version in [13, 12, 9] as [UInt32] {
                await eventually { race.transport.versions.last == version }
                await race.transport.refuseCredentials(of: [quic], close(at: version))
            }
            await eventually { race.transport.versions.last == 8 }
            race.transport.open(quic)
            #expect(try await dialing.value.version == 8)
            // What worked is said first.
            #expect(try await race.dial([quic]).value.version == 8)
            #expect(race.transport.versions == [13, 12, 9, 8, 8])
        }
    }

    @Test func aPeerThatNeverSaysWhyIsAskedOnceForEachVersionInADial() async throws {
        try await run { race async throws in
            race.transport.decide(quic)
            for _ in 0..<2 {
                let before = race.transport.versions.count
                let dialing = race.dial([quic])
                for (round, version) in ([13, 12, 9, 8, 14] as [UInt32]).enumerated() {
                    await eventually { race.transport.versions.count == before + round + 1 }
                    await race.transport.refuseCredentials(of: [quic], close(at: version))
                }
                // No verdict on our versions: it may have been something else, and the next dial asks again.
                await #expect(throws: close(at: 14)) { try await dialing.value }
            }
            #expect(race.transport.versions == [13, 12, 9, 8, 14, 13, 12, 9, 8, 14])
        }
    }

    @Test func whoSaysWhyIsAskedAgainAfterOneThatDoesNot() async throws {
        try await run { race async throws in
            race.transport.decide(quic)
            let dialing = race.dial([quic, tls])
            for version in [13, 12, 9, 8, 14] as [UInt32] {
                await eventually { race.transport.versions.last == version }
                await race.transport.refuseCredentials(of: [quic], close(at: version))
            }
            race.transport.decide(tls)
            await eventually { race.transport.versions.count == 6 }
            race.transport.open(tls)
            let connection = try await dialing.value
            #expect(connection.kind == .tlsYamux && connection.version == 13)
        }
    }

    @Test func aDialTellsWhatItHasComeTo() async throws {
        try await run { race async throws in
            let refused = TransportError.cannotConnect(address: "a", reason: "refused")
            race.transport.decide(quic, .path, refused)
            let dialing = race.dial([quic, tls])
            await race.transport.dials(2)
            let steps = await race.dialer.progress(of: race.peer)
            #expect(steps.map(\.address) == [quic, tls] && steps.map(\.error) == [refused, nil])
            race.transport.open(tls)
            _ = try await dialing.value
            #expect(await race.dialer.progress(of: race.peer).isEmpty)
        }
    }

    @Test func theVersionThatWorkedIsSaidFirstNextTime() async throws {
        try await run { race async throws in
            race.transport.decide(tls)
            let dialing = race.dial([tls])
            for version in [13, 12] as [UInt32] {
                await eventually { race.transport.versions.last == version }
                await race.transport.refuseCredentials(of: [tls], refusal(of: version))
            }
            race.transport.decide(tls, .credentials)
            #expect(try await dialing.value.version == 9)
            #expect(try await race.dial([tls]).value.version == 9)
            #expect(race.transport.versions == [13, 12, 9, 9])
        }
    }

    @Test func aCancelledDialLeavesNothing() async throws {
        try await run { race async throws in
            let dialing = race.dial([quic, tls, bare])
            await race.transport.dials(1)
            await race.advance(by: .milliseconds(250))
            await race.transport.dials(2)
            race.transport.decide(quic)
            race.transport.decide(tls)
            await eventually { !race.transport.versions.isEmpty }
            dialing.cancel()
            await #expect(throws: TransportError.cancelled) { try await dialing.value }
            #expect(race.transport.running.isEmpty)
            // A task that is cancelled from the start.
            let early = race.dial([tls])
            early.cancel()
            await #expect(throws: TransportError.cancelled) { try await early.value }
        }
    }

    @Test func everyFailureIsNamedInOrder() async throws {
        try await run { race async throws in
            race.transport.decide(quic, .path, .tls(.noCertificate))
            race.transport.decide(tls, .path, .tls(.endedByPeer))
            let expected = [
                DialFailure(address: quic, error: .tls(.noCertificate)),
                DialFailure(address: tls, error: .tls(.endedByPeer)),
            ]
            await #expect(throws: TransportError.allAddressesFailed(expected)) {
                try await race.dial([quic, tls]).value
            }
        }
    }
}

/// The failure at a dialer that said this version and was refused for it.
private func refusal(of version: UInt32) -> TransportError {
    let peer = PeerId(publicKey: SigningKey().publicKey)
    var dialer = CredentialDialer(to: peer, as: LocalCredentials(account: nil, peer: peer, version: version))
    var ack = HandshakeAck(.incompatibleVersion).frame[...]
    guard case .failure(let failure) = dialer.receive(&ack).result else { return .cancelled }
    return .handshake(failure)
}

/// The failure at a dialer that said this version and saw the connection closed as after a refusal.
private func close(at version: UInt32) -> TransportError {
    let peer = closingPeer
    let dialer = CredentialDialer(to: peer, as: LocalCredentials(account: nil, peer: peer, version: version))
    return .handshake(dialer.failure(.refusedWithoutReason))
}

private let closingPeer = PeerId(publicKey: SigningKey().publicKey)
