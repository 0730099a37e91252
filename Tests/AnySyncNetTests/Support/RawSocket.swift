import AnySyncWire
import Glibc
import PushCrypto

@testable import AnySyncNet

/// A bare TCP connection that a test drives by hand.
actor RawSocket: TCPSocketDelegate {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let socket: TCPSocket
    private var received = HandoffQueue<[UInt8]>()
    private var rest: [UInt8] = []
    private(set) var end: TCPSocket.End?

    init(_ socket: TCPSocket) {
        self.socket = socket
        loop = socket.loop
    }

    /// Connects to a listener.
    static func connect(to address: Address, on loop: EventLoop) async throws -> RawSocket {
        let connected: (RawSocket?, Int32) = await withCheckedContinuation { continuation in
            loop.execute {
                guard let target = SocketAddress(ip: address.host, port: address.port),
                    let socket = try? TCPSocket(on: loop)
                else { return continuation.resume(returning: (nil, -1)) }
                socket.connect(to: target) { status in
                    guard status == 0 else {
                        socket.close()
                        return continuation.resume(returning: (nil, status))
                    }
                    let raw = RawSocket(socket)
                    raw.assumeIsolated { $0.begin() }
                    continuation.resume(returning: (raw, 0))
                }
            }
        }
        guard let raw = connected.0 else { throw TestFailure("connect: \(connected.1)") }
        return raw
    }

    func begin() {
        socket.delegate = self
        socket.startReading()
    }

    func write(_ bytes: [UInt8]) {
        socket.write(bytes)
    }

    func close() {
        socket.close()
        received.finish()
    }

    func stopReading() {
        socket.stopReading()
    }

    /// Waits for bytes; `nil` once the other side has closed.
    func read() async -> [UInt8]? {
        if !rest.isEmpty {
            defer { rest = [] }
            return rest
        }
        if let bytes = received.takeNow() { return bytes }
        let taker = received.makeTaker()
        return await withCheckedContinuation { received.wait(taker, $0) }
    }

    func read(exactly count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = await read() else { throw TestFailure("closed after \(bytes.count) of \(count) bytes") }
            bytes += more
        }
        rest = Array(bytes[count...])
        return Array(bytes[..<count])
    }

    /// What has arrived and was not read.
    func takeReceived() -> [UInt8] {
        var bytes = rest
        rest = []
        while let more = received.takeNow() { bytes += more }
        return bytes
    }

    /// Waits until the other side has closed.
    func waitForEnd() async {
        while await read() != nil {}
    }

    nonisolated func socket(_ socket: TCPSocket, received bytes: [UInt8]) {
        assumeIsolated { _ = $0.received.put(bytes) }
    }

    nonisolated func socket(_ socket: TCPSocket, ended end: TCPSocket.End) {
        assumeIsolated { raw in
            raw.end = end
            raw.received.finish()
            raw.socket.close()
        }
    }

    nonisolated func socketDrained(_ socket: TCPSocket) {}
}

extension RawSocket {
    /// Runs the handshakes of a dialer over the socket and leaves it to the test after them.
    func handshake(with peer: TestPeer, as identity: LocalIdentity) async throws {
        let handshake = try SecureHandshake(
            dialing: peer.id, kind: .yamux, as: identity.credentials(version: 13),
            context: TLSContext(certificate: HostCertificate(peerKey: identity.peer, now: Int64(time(nil)))),
            now: { Int64(time(nil)) })
        write(handshake.start().output)
        while let bytes = await read() {
            var step = handshake.receive(bytes)
            write(step.output)
            if step.isPeerProven {
                step = handshake.beginCredentials(version: 13)
                write(step.output)
            }
            guard let result = step.result else { continue }
            rest = try result.get().early
            return
        }
        throw TestFailure("closed during the handshake")
    }
}
