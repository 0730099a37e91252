internal import AnySyncNet
internal import AnySyncWire

/// Answers datagrams that belong to no connection: within rates, always smaller than three times what was asked, and
/// without keeping anything. Belongs to one ``QUICListener``.
struct Strangers {
    private let context: QUICContext
    private var addresses: AddressBuckets
    private var all: TokenBucket
    private var unproven: TokenBucket
    var counters = QUICCounters()

    init(_ context: QUICContext, _ limits: QUICLimits, now: MonotonicTime) {
        self.context = context
        addresses = AddressBuckets(perSecond: limits.handshakesPerAddress, now: now)
        all = TokenBucket(perSecond: limits.answersPerSecond, now: now)
        unproven = TokenBucket(perSecond: limits.unprovenPerSecond, now: now)
    }

    /// Whether a connection may begin now whose dialer has not proven its address.
    mutating func allowsUnproven(now: MonotonicTime) -> Bool {
        unproven.take(now: now)
    }

    /// Whether an address may have something of us now: a connection, or an answer.
    mutating func allows(_ path: DatagramPath, now: MonotonicTime) -> Bool {
        guard let remote = path.remote, addresses.take(remote, now: now), all.take(now: now) else {
            counters.rateLimited += 1
            return false
        }
        return true
    }

    /// Tells the dialer which version is spoken here.
    mutating func tellVersion(_ datagram: UnsafeRawBufferPointer, _ path: DatagramPath, _ socket: DatagramSocket) {
        guard allows(path, now: socket.loop.now()) else { return }
        counters.versionNegotiations += 1
        send(path, socket) { Datagram.versionNegotiation(for: datagram, into: $0) }
    }

    /// Asks the dialer to come back with a token, which proves that it can be reached at its address.
    mutating func askForProof(_ packet: FirstPacket, _ path: DatagramPath, _ socket: DatagramSocket) {
        let now = socket.loop.now()
        guard allows(path, now: now) else { return }
        counters.retries += 1
        send(path, socket) { packet.retry(on: path, context, now: now, into: $0) }
    }

    /// Refuses a dialer's token.
    mutating func refuseToken(_ packet: FirstPacket, _ path: DatagramPath, _ socket: DatagramSocket) {
        guard allows(path, now: socket.loop.now()) else { return }
        counters.invalidTokens += 1
        send(path, socket) { packet.invalidToken(into: $0) }
    }

    /// Tells a peer that its connection is unknown here.
    mutating func reset(_ reset: StatelessReset, _ path: DatagramPath, _ socket: DatagramSocket) {
        guard allows(path, now: socket.loop.now()) else { return }
        counters.statelessResets += 1
        send(path, socket) { reset.write(context, into: $0) }
    }

    private func send(
        _ path: DatagramPath, _ socket: DatagramSocket, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DatagramSize.largest) { buffer in
            let size = write(buffer)
            guard size > 0 else { return }
            socket.send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<size]), on: path)
        }
    }
}
