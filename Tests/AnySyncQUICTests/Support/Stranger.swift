import AnySyncNet
import AnySyncWire
import Locks
import PushCrypto
import TestSupport
import Testing

@testable import AnySyncQUIC

/// Somebody with a UDP socket who sends what they like.
///
/// Unchecked because it is mutable: it is used on its loop's thread only, apart from `answers`.
final class Stranger: DatagramSocketDelegate, @unchecked Sendable {
    private let loop: EventLoop
    private let socket: DatagramSocket
    private let path: DatagramPath
    let answers = SystemLock<[[UInt8]]>([])
    let sentCount = SystemLock(0)

    private init(_ loop: EventLoop, _ socket: DatagramSocket, _ path: DatagramPath) {
        self.loop = loop
        self.socket = socket
        self.path = path
    }

    /// - Parameter host: where the datagrams come from; any address of loopback is free to take.
    static func start(from host: String = "127.0.0.1", to listener: any Listener, on loop: EventLoop) async throws
        -> Stranger
    {
        let address = listener.addresses[0]
        let started: Stranger? = await loop.onLoop {
            guard let target = SocketAddress(ip: address.host, port: address.port), let batch = DatagramBatch(),
                let own = SocketAddress(ip: host, port: 0),
                let socket = try? DatagramSocket(on: loop, .bound(to: own), batch: batch)
            else { return nil }
            let stranger = Stranger(loop, socket, DatagramPath(local: socket.localAddress, remote: target))
            socket.delegate = stranger
            return stranger
        }
        guard let started else { throw TestFailure("no socket") }
        return started
    }

    func send(_ datagrams: [[UInt8]]) async {
        await loop.onLoop {
            for datagram in datagrams {
                datagram.withUnsafeBytes { self.socket.send($0, on: self.path) }
                self.sentCount.withLock { $0 += datagram.count }
            }
        }
    }

    /// Waits for so many answers.
    func waitForAnswers(_ count: Int) async {
        await eventually { answers.withLock { $0.count } >= count }
    }

    var answeredCount: Int { answers.withLock { $0.reduce(0) { $0 + $1.count } } }

    func close() async {
        await loop.onLoop { self.socket.close() }
    }

    func socket(_ socket: DatagramSocket, received datagram: UnsafeRawBufferPointer, on path: DatagramPath) {
        answers.withLock { $0.append(Array(datagram)) }
    }

    func socketDrained(_ socket: DatagramSocket) {}
    func socket(_ socket: DatagramSocket, failed code: Int32) {}
    func socketLoopIsStopping(_ socket: DatagramSocket) {}

    /// The datagrams with which an honest dialer begins.
    static func firstFlight(to peer: PeerId = PeerId(publicKey: SigningKey().publicKey)) throws -> [[UInt8]] {
        let key = SigningKey()
        let certificate = try HostCertificate(peerKey: key, now: 1_800_000_000)
        let context = try QUICContext(certificate: certificate, peerKey: key)
        guard let own = SocketAddress(ip: "127.0.0.1", port: 1), let other = SocketAddress(ip: "127.0.0.1", port: 2)
        else { return [] }
        let session = QUICSession.dialer(
            to: peer, on: DatagramPath(local: own, remote: other), context, QUICSettings(NetLimits(), QUICLimits()),
            now: MonotonicTime(nanoseconds: 1_000_000_000), unixTime: { 1_800_000_000 })
        var datagrams: [[UInt8]] = []
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DatagramSize.largest) { buffer in
            var path = DatagramPath()
            while case .datagram(let size)? = session?.nextDatagram(
                into: buffer, &path, now: MonotonicTime(nanoseconds: 1_000_000_000))
            {
                datagrams.append(Array(buffer[..<size]))
            }
        }
        return datagrams
    }
}
