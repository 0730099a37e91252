import AnySyncNet
import Glibc
import Locks
import TestSupport
import Testing

@testable import AnySyncQUIC

@Suite(.timeLimit(.minutes(5))) struct DatagramSocketTests {
    @Test func anErrorIsNamedAndTheSocketStaysOfUse() async throws {
        let loop = try EventLoop()
        let ear = Ear()
        // An address of its own, so that no other test is given the port.
        let host = "127.0.0.77"
        let anywhere = try #require(SocketAddress(ip: host, port: 0))
        let first = try #require(await loop.onLoop { ear.socket(.bound(to: anywhere), on: loop) })
        let peer = first.localAddress
        await loop.onLoop { first.close() }
        let socket = try #require(await loop.onLoop { ear.socket(.connected(to: peer), on: loop) })
        await eventually {
            await loop.onLoop { ear.send([1], from: socket, to: peer) }
            return ear.errors.withLock { $0.count } >= 3
        }
        #expect(ear.errors.withLock { $0.allSatisfy { $0 == -ECONNREFUSED } })
        let late = try #require(await loop.onLoop { ear.socket(.bound(to: peer), on: loop) })
        await loop.onLoop { ear.send([7], from: late, to: socket.localAddress) }
        await eventually { !ear.heard.withLock { $0.isEmpty } }
        #expect(ear.heard.withLock { $0 } == [[7]])
        await loop.shutdown()
    }

    /// Hears what sockets tell.
    private final class Ear: DatagramSocketDelegate, Sendable {
        let errors = SystemLock<[Int32]>([])
        let heard = SystemLock<[[UInt8]]>([])

        func socket(_ place: DatagramSocket.Place, on loop: EventLoop) -> DatagramSocket? {
            guard let batch = DatagramBatch(), let socket = try? DatagramSocket(on: loop, place, batch: batch) else {
                return nil
            }
            socket.delegate = self
            return socket
        }

        func send(_ bytes: [UInt8], from socket: DatagramSocket, to peer: SocketAddress) {
            bytes.withUnsafeBytes { socket.send($0, on: DatagramPath(local: socket.localAddress, remote: peer)) }
        }

        func socket(_ socket: DatagramSocket, received datagram: UnsafeRawBufferPointer, on path: DatagramPath) {
            heard.withLock { $0.append(Array(datagram)) }
        }

        func socket(_ socket: DatagramSocket, failed code: Int32) { errors.withLock { $0.append(code) } }
        func socketDrained(_ socket: DatagramSocket) {}
        func socketLoopIsStopping(_ socket: DatagramSocket) {}
    }
}
