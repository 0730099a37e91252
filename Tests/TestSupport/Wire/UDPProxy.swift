import Glibc
import Locks

/// A proxy for datagrams on loopback: it keeps what goes over the wire, and loses, repeats and reorders as a test asks.
public final class UDPProxy: WireTap {
    /// What happens to datagrams, in either direction.
    public struct Faults: Sendable {
        /// Shares of datagrams that are dropped, sent twice, or held back behind the next one.
        public var dropped = 0.0
        public var duplicated = 0.0
        public var reordered = 0.0
        /// Whether the first datagram of each client is lost.
        public var losesFirst = false
        /// What the faults are drawn from: the same seed gives the same draws.
        public var seed: UInt64 = 1

        /// No faults.
        public init() {}

        /// Each fault with the same share.
        public init(each share: Double, seed: UInt64) {
            (dropped, duplicated, reordered, self.seed) = (share, share, share, seed)
        }
    }

    fileprivate struct Client {
        let address: sockaddr_in
        /// Connected to the node; stands for the client there.
        let socket: Int32
        var toNode = Direction()
        var toClient = Direction()
    }

    fileprivate struct Direction {
        var isFirst = true
        var held: [UInt8]?
    }

    fileprivate struct State {
        var sent: [UInt8] = []
        var received: [UInt8] = []
        var clients: [Client] = []
        var random: UInt64
        var counts = Counts()
    }

    /// How many datagrams met which fault.
    public struct Counts: Sendable, Equatable {
        public var passed = 0
        public var dropped = 0
        public var duplicated = 0
        public var reordered = 0
    }

    public let port: UInt16
    private let front: Int32
    private let thread: WireThread
    private let state: SystemLock<State>

    /// A proxy before the node that listens on loopback at `target`.
    public init(to target: UInt16, faults: Faults = Faults()) throws {
        let front = try WireSocket.open(SOCK_DGRAM)
        port = try WireSocket.bindToFreePort(front)
        let state = SystemLock(State(random: faults.seed))
        // What was held back leaves when nothing has come behind it for a while.
        thread = try WireThread(patience: 3) { readable in
            state.withLock { state in
                if readable.isEmpty { state.release(through: front) }
                if readable.contains(front) { state.receive(from: front, to: target, faults) }
                for index in state.clients.indices where readable.contains(state.clients[index].socket) {
                    state.answer(index, through: front, faults)
                }
                return Set(state.clients.map(\.socket)).union([front])
            }
        }
        self.front = front
        self.state = state
    }

    public var recorded: (sent: [UInt8], received: [UInt8]) {
        state.withLock { ($0.sent, $0.received) }
    }

    /// What was done so far.
    public var counts: Counts {
        state.withLock { $0.counts }
    }

    public func stop() {
        thread.stop()
        for client in state.withLock({ $0.clients }) { close(client.socket) }
        close(front)
    }
}

extension UDPProxy.State {
    fileprivate mutating func receive(from front: Int32, to target: UInt16, _ faults: UDPProxy.Faults) {
        for _ in 0..<64 {
            var source = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let datagram = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = withUnsafeMutablePointer(to: &source) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        max(0, recvfrom(front, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT), $0, &length))
                    }
                }
            }
            guard !datagram.isEmpty, let index = client(source, target) else { return }
            sent += datagram
            let socket = clients[index].socket
            var direction = clients[index].toNode
            for piece in apply(faults, to: datagram, &direction) { WireSocket.sendAll(piece, to: socket) }
            clients[index].toNode = direction
        }
    }

    fileprivate mutating func answer(_ index: Int, through front: Int32, _ faults: UDPProxy.Faults) {
        for _ in 0..<64 {
            guard let datagram = WireSocket.receive(clients[index].socket) else { return }
            received += datagram
            var direction = clients[index].toClient
            // The first datagram that is lost is a client's.
            direction.isFirst = false
            for piece in apply(faults, to: datagram, &direction) { send(piece, to: index, through: front) }
            clients[index].toClient = direction
        }
    }

    fileprivate mutating func release(through front: Int32) {
        for index in clients.indices {
            if let held = clients[index].toNode.held { WireSocket.sendAll(held, to: clients[index].socket) }
            if let held = clients[index].toClient.held { send(held, to: index, through: front) }
            clients[index].toNode.held = nil
            clients[index].toClient.held = nil
        }
    }

    private func send(_ datagram: [UInt8], to index: Int, through front: Int32) {
        _ = WireSocket.with(clients[index].address) { address, length in
            datagram.withUnsafeBytes { sendto(front, $0.baseAddress, $0.count, 0, address, length) }
        }
    }

    private mutating func client(_ source: sockaddr_in, _ target: UInt16) -> Int? {
        if let index = clients.firstIndex(where: { $0.address.sin_port == source.sin_port }) { return index }
        guard let socket = try? WireSocket.open(SOCK_DGRAM),
            WireSocket.with(WireSocket.address(port: target), { connect(socket, $0, $1) }) == 0
        else { return nil }
        clients.append(UDPProxy.Client(address: source, socket: socket))
        return clients.count - 1
    }

    /// What goes on in the place of a datagram, in order.
    private mutating func apply(
        _ faults: UDPProxy.Faults, to datagram: [UInt8], _ direction: inout UDPProxy.Direction
    ) -> [[UInt8]] {
        let isFirst = direction.isFirst
        direction.isFirst = false
        var pieces = [datagram]
        if (faults.losesFirst && isFirst) || chance(faults.dropped) {
            counts.dropped += 1
            pieces = []
        } else if chance(faults.duplicated) {
            counts.duplicated += 1
            pieces = [datagram, datagram]
        } else if direction.held == nil, chance(faults.reordered) {
            counts.reordered += 1
            direction.held = datagram
            return []
        } else {
            counts.passed += 1
        }
        if let held = direction.held, !pieces.isEmpty {
            pieces.append(held)
            direction.held = nil
        }
        return pieces
    }

    /// A draw of SplitMix64.
    private mutating func chance(_ share: Double) -> Bool {
        random &+= 0x9E37_79B9_7F4A_7C15
        var value = random
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        value ^= value >> 31
        return Double(value >> 11) / Double(1 << 53) < share
    }
}
