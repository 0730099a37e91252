import AnySyncNet
import Locks

@testable import AnySyncQUIC

/// Carries datagrams between dialers and one listener, or drops them, and moves to another port: what the path of
/// TestSupport, which loses and reorders, can not do.
///
/// Unchecked because it is mutable: it is used on its loop's thread only, apart from `seen`.
final class UDPProxy: DatagramSocketDelegate, @unchecked Sendable {
    /// What happens to a datagram.
    enum Fate {
        case carried, dropped
    }

    /// A datagram on its way.
    struct Passage {
        let isFromDialer: Bool
        /// Counts from 0 in each direction.
        let index: Int
        let bytes: [UInt8]
    }

    private let loop: EventLoop
    private let target: SocketAddress
    private let batch: DatagramBatch
    private let decide: (Passage) -> Fate
    private var front: DatagramSocket?
    private var back: DatagramSocket?
    private var dialer: SocketAddress?
    private var counts = (fromDialer: 0, fromListener: 0)
    let seen = SystemLock<[Passage]>([])

    private init(
        _ loop: EventLoop, _ target: SocketAddress, _ batch: DatagramBatch, _ decide: @escaping (Passage) -> Fate
    ) {
        self.loop = loop
        self.target = target
        self.batch = batch
        self.decide = decide
    }

    /// Starts a proxy in front of a listener.
    ///
    /// - Parameter decide: what happens to each datagram; called on the proxy's loop.
    /// - Returns: the proxy, and where to dial it.
    static func start(
        to listener: any Listener, on loop: EventLoop,
        _ decide: @escaping @Sendable (Passage) -> Fate = { _ in .carried }
    ) async throws -> (UDPProxy, Address) {
        let address = listener.addresses[0]
        let started: (UDPProxy, UInt16)? = await loop.onLoop {
            guard let target = SocketAddress(ip: address.host, port: address.port), let batch = DatagramBatch(),
                let own = SocketAddress(ip: "127.0.0.1", port: 0),
                let front = try? DatagramSocket(on: loop, .bound(to: own), batch: batch)
            else { return nil }
            let proxy = UDPProxy(loop, target, batch, decide)
            proxy.front = front
            front.delegate = proxy
            proxy.connectBack()
            return (proxy, front.localAddress.port)
        }
        guard let (proxy, port) = started else { throw TestFailure("no proxy") }
        return (proxy, Address(kind: .quic, host: "127.0.0.1", port: port))
    }

    /// Goes on from another port, as a router does that has forgotten a connection.
    func rebind() async {
        await loop.onLoop { self.connectBack() }
    }

    /// Carries nothing more.
    func stop() async {
        await loop.onLoop {
            self.front?.close()
            self.back?.close()
        }
    }

    private func connectBack() {
        back?.close()
        back = try? DatagramSocket(on: loop, .connected(to: target), batch: batch)
        back?.delegate = self
    }

    func socket(_ socket: DatagramSocket, received datagram: UnsafeRawBufferPointer, on path: DatagramPath) {
        let isFromDialer = socket === front
        if isFromDialer { dialer = path.remote }
        let index = isFromDialer ? counts.fromDialer : counts.fromListener
        if isFromDialer { counts.fromDialer += 1 } else { counts.fromListener += 1 }
        let passage = Passage(isFromDialer: isFromDialer, index: index, bytes: Array(datagram))
        seen.withLock { $0.append(passage) }
        if decide(passage) == .carried { carry(passage.bytes, isFromDialer) }
    }

    private func carry(_ bytes: [UInt8], _ isFromDialer: Bool) {
        bytes.withUnsafeBytes { bytes in
            if isFromDialer {
                guard let back else { return }
                back.send(bytes, on: DatagramPath(local: back.localAddress, remote: target))
            } else if let front, let dialer {
                front.send(bytes, on: DatagramPath(local: front.localAddress, remote: dialer))
            }
        }
    }

    func socketDrained(_ socket: DatagramSocket) {}
    func socket(_ socket: DatagramSocket, failed code: Int32) {}
    func socketLoopIsStopping(_ socket: DatagramSocket) {}
}
