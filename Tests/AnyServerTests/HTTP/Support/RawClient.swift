import Glibc
import Locks
import TestSupport

@testable import AnyServer

/// A TCP connection to a server that sends exactly what a test says. Blocking calls run on threads of their own, for
/// the global pool is where the server's handlers run.
final class RawClient: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let descriptor: Int32
    private let received = SystemLock<[UInt8]>([])
    private let isClosed = SystemLock(false)

    /// Nothing on loopback takes this long unless the server hangs. Handlers share the pool with every other test.
    private static let patience = 240

    /// - Parameter receiveBuffer: What the system may hold for this side, in bytes.
    init(_ address: ListenAddress, receiveBuffer: Int32? = nil) throws {
        let family =
            switch address.host {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let status: Int32
        if let path = address.socketPath {
            var name = UnixSocketFile(path: path).name
            status = Self.connect(descriptor, &name)
        } else if case .ipv6 = address.host {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = address.port.bigEndian
            name.sin6_addr = in6addr_loopback
            status = Self.connect(descriptor, &name)
        } else {
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = address.port.bigEndian
            name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            status = Self.connect(descriptor, &name)
        }
        guard status == 0 else { throw Failure(description: "connect: \(SystemCall.message(errno))") }
    }

    deinit { close() }

    private static func connect<Name>(_ descriptor: Int32, _ name: inout Name) -> Int32 {
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Name>.size))
            }
        }
    }

    /// Sends bytes, and says whether all were taken.
    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        await OwnThread.run { [descriptor] in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    @discardableResult
    func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    /// Everything received so far and not yet taken, once `isEnough` says so; also when the server closes.
    ///
    /// - Parameter isEnough: Sees all bytes, and how many of them it has seen before.
    func receive(until isEnough: @escaping @Sendable ([UInt8], Int) -> Bool) async throws -> [UInt8] {
        let bytes = try await OwnThread.run { [self] () -> Result<[UInt8], Failure> in
            var bytes = received.withLock { $0 }
            var buffer = [UInt8](repeating: 0, count: 65536)
            var seen = 0
            while !isEnough(bytes, seen) {
                seen = bytes.count
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count == 0 || (count < 0 && errno == ECONNRESET) { break }
                guard count > 0 else { return .failure(Failure(description: "recv: \(SystemCall.message(errno))")) }
                bytes.append(contentsOf: buffer[..<count])
            }
            return .success(bytes)
        }.get()
        received.withLock { $0 = bytes }
        return bytes
    }

    /// Takes bytes from the front of what was received.
    func drop(_ count: Int) { received.withLock { $0.removeFirst(count) } }

    /// Everything until the server closes.
    func receiveAll() async throws -> String {
        String(decoding: try await receive { _, _ in false }, as: UTF8.self)
    }

    /// Reads until `text` has come, and gives everything so far.
    func receive(_ text: String) async throws -> String {
        let wanted = Array(text.utf8)
        let bytes = try await receive { $0.position(of: wanted, from: max(0, $1 - wanted.count)) != nil }
        let all = String(decoding: bytes, as: UTF8.self)
        guard all.contains(text) else { throw Failure(description: "closed before \(text): \(all.suffix(200))") }
        return all
    }

    /// Reads one response with a `Content-Length`, or without a body.
    func response(toHead isHead: Bool = false) async throws -> RawResponse {
        let bytes = try await receive { bytes, _ in RawResponse.first(in: bytes, isHead: isHead) != nil }
        guard let (response, length) = RawResponse.first(in: bytes, isHead: isHead) else {
            throw Failure(description: "no response: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
        }
        drop(length)
        return response
    }

    /// Closes this side's direction.
    func halfClose() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { Glibc.close(descriptor) }
    }

    /// Closes with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }
}
