import AnySyncWire
import Glibc
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncNet

/// Certificates are made anew daily and when the clock was set, under connections of every kind.
@Suite(.timeLimit(.minutes(2))) struct CertificateRenewalTests {
    private static let year: Int64 = 365 * 86_400

    /// A listener that started under a wrong clock serves as soon as the clock is right, without a restart.
    @Test(arguments: ConnectionKind.tested) func aClockThatIsSetRightIsEnough(kind: ConnectionKind) async throws {
        let step = SystemLock(Self.year)
        let listener = try TestPeer(clock: kind.clock, unixTime: { Int64(time(nil)) + step.withLock { $0 } })
        let dialer = try TestPeer(clock: kind.clock)
        let socket = try await listener.listen(kind)
        do {
            _ = try await dialer.dial(socket, of: listener, kind: kind)
            Issue.record("a certificate of next year was accepted")
        } catch let error as TransportError {
            guard case .certificate(.notYetValid) = error else { throw error }
        }
        step.withLock { $0 = 0 }
        let first = try await Self.connect(dialer, listener, socket, kind)
        // Set again, though by less than others mind, it is no reason to end what was established.
        step.withLock { $0 = 1800 }
        let second = try await Self.connect(try TestPeer(clock: kind.clock), listener, socket, kind)
        for (out, incoming) in [first, second] {
            let stream = try await out.openStream()
            try await stream.write([7])
            let other = try #require(await incoming.nextStream())
            #expect(try await other.read() == [7])
        }
        for (out, _) in [first, second] { await out.eventLoop.shutdown() }
        await listener.loop.shutdown()
    }

    @Test func aDialersIsMadeAnewToo() async throws {
        let step = SystemLock(Self.year)
        let dialer = try TestPeer(unixTime: { Int64(time(nil)) + step.withLock { $0 } })
        let listener = try TestPeer()
        let socket = try await listener.listen(.tlsYamux)
        await #expect(throws: (any Error).self) { try await dialer.dial(socket, of: listener, kind: .tlsYamux) }
        step.withLock { $0 = 0 }
        _ = try await Self.connect(dialer, listener, socket, .tlsYamux)
        await dialer.loop.shutdown()
        await listener.loop.shutdown()
    }

    @Test func aCertificateIsPresentedForADay() async throws {
        let clock = ManualClock()
        let unix = SystemLock<Int64>(1_800_000_000)
        let peer = try TestPeer(clock: clock, unixTime: { unix.withLock { $0 } })
        let first = peer.endpoint.certificate
        func pass(_ seconds: Int64) async {
            unix.withLock { $0 += seconds }
            await clock.advance(by: .seconds(seconds), on: peer.loop)
        }
        await pass(86_399)
        #expect(peer.endpoint.certificate === first)
        await pass(1)
        let second = peer.endpoint.certificate
        #expect(second !== first && second.der != first.der && second.peerId == first.peerId)
        #expect(peer.endpoint.certificate === second)
        #expect(try CertificateFields(der: second.der).notBefore == 1_800_000_000 + 86_400 - 3600)
        await peer.loop.shutdown()
    }

    @Test(arguments: [1, 59, 61, 3600, 2 * 86_400, 3653 * 86_400] as [Int64], [1, -1] as [Int64])
    func aStepOfMoreThanAMinuteMakesItAnew(seconds: Int64, sign: Int64) {
        let made = CertificateAge(monotonic: MonotonicTime(nanoseconds: 5_000_000_000), unix: 1_800_000_000)
        let hour = made.monotonic.advanced(by: .seconds(3600))
        let now = CertificateAge(monotonic: hour, unix: made.unix + 3600 + seconds * sign)
        #expect(made.isStale(at: now) == (seconds > 60))
        #expect(!made.isStale(at: CertificateAge(monotonic: hour, unix: made.unix + 3600)))
        #expect(made.isStale(at: CertificateAge(monotonic: hour, unix: .min)))
        #expect(made.isStale(at: CertificateAge(monotonic: hour, unix: .max)))
    }

    private static func connect(
        _ dialer: TestPeer, _ listener: TestPeer, _ socket: any Listener, _ kind: ConnectionKind
    ) async throws -> (out: any Connection, incoming: any Connection) {
        let out = try await dialer.dial(socket, of: listener, kind: kind)
        return (out, try #require(await socket.nextConnection()))
    }
}
