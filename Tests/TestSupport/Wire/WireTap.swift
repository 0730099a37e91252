import Glibc
import Locks

/// A proxy on loopback that keeps what goes over the wire, in both directions.
public protocol WireTap: Sendable {
    /// Where clients connect to.
    var port: UInt16 { get }
    /// What the client has sent and what it was sent, so far.
    var recorded: (sent: [UInt8], received: [UInt8]) { get }
    /// Ends the proxy and its connections; to be called once.
    func stop()
}

extension WireTap {
    /// Whether `text` stands anywhere on the wire as it is.
    public func shows(_ text: String) -> Bool {
        let (sent, received) = recorded
        let needle = Array(text.utf8)
        return [sent, received].contains { bytes in
            guard bytes.count >= needle.count else { return false }
            return (0...bytes.count - needle.count).contains { start in
                bytes[start] == needle[0] && bytes[start..<start + needle.count].elementsEqual(needle)
            }
        }
    }
}

/// Such a proxy for TCP.
public final class TCPTap: WireTap {
    private struct State {
        var sent: [UInt8] = []
        var received: [UInt8] = []
        /// Each open socket's other side, and whether it is the client's.
        var partners: [Int32: (other: Int32, isClient: Bool)] = [:]
    }

    public let port: UInt16
    private let listening: Int32
    private let thread: WireThread
    private let state: SystemLock<State>

    /// A proxy before the node that listens on loopback at `target`.
    public init(to target: UInt16) throws {
        let listening = try WireSocket.open(SOCK_STREAM)
        port = try WireSocket.bindToFreePort(listening)
        guard listen(listening, 16) == 0 else { throw WireFailure("cannot listen: error \(errno)") }
        let state = SystemLock(State())
        thread = try WireThread { readable in
            if readable.contains(listening) { Self.accept(from: listening, to: target, state) }
            for descriptor in readable where descriptor != listening { Self.pass(from: descriptor, state) }
            return state.withLock { Set($0.partners.keys).union([listening]) }
        }
        self.listening = listening
        self.state = state
    }

    public var recorded: (sent: [UInt8], received: [UInt8]) {
        state.withLock { ($0.sent, $0.received) }
    }

    public func stop() {
        thread.stop()
        for descriptor in state.withLock({ Array($0.partners.keys) }) { close(descriptor) }
        close(listening)
    }

    private static func accept(from listening: Int32, to target: UInt16, _ state: SystemLock<State>) {
        let client = Glibc.accept(listening, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        guard let node = try? WireSocket.open(SOCK_STREAM),
            WireSocket.with(WireSocket.address(port: target), { connect(node, $0, $1) }) == 0
        else {
            close(client)
            return
        }
        var one: Int32 = 1
        for descriptor in [client, node] {
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        state.withLock { state in
            state.partners[client] = (node, true)
            state.partners[node] = (client, false)
        }
    }

    private static func pass(from descriptor: Int32, _ state: SystemLock<State>) {
        guard let (other, isClient) = state.withLock({ $0.partners[descriptor] }) else { return }
        guard let bytes = WireSocket.receive(descriptor) else {
            state.withLock { state in
                state.partners[descriptor] = nil
                state.partners[other] = nil
            }
            close(descriptor)
            close(other)
            return
        }
        state.withLock { state in
            if isClient { state.sent += bytes } else { state.received += bytes }
        }
        WireSocket.sendAll(bytes, to: other)
    }
}
