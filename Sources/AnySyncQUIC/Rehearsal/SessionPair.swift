package import AnySyncWire

/// A dialer's and a listener's session face to face, without sockets or a clock: whoever holds it decides what becomes
/// of each datagram and how time goes by. For fuzzers and tests.
package final class SessionPair {
    /// One of the two.
    package enum Side: Int, CaseIterable, Sendable {
        case dialer, listener

        /// The other one.
        package var peer: Side { self == .dialer ? .listener : .dialer }
    }

    private struct End {
        var session: QUICSession?
        var isOver = false
        var outbox: [[UInt8]] = []
        /// What has arrived on each stream.
        var received: [Int64: Int] = [:]
        var openStreams: Set<Int64> = []
    }

    /// The time of both.
    package private(set) var now = MonotonicTime(nanoseconds: 1_000_000_000)
    private var ends = [End(), End()]

    /// A pair before the first datagram is carried; `nil` when the libraries are out of memory.
    package init?() {
        guard let dialer = RehearsalIdentity.dialer, let listener = RehearsalIdentity.listener,
            let path = Self.path(of: .dialer),
            let session = QUICSession.dialer(
                to: listener.peer, on: path, dialer.context, RehearsalIdentity.settings, now: now,
                unixTime: { RehearsalIdentity.unixTime })
        else { return nil }
        ends[Side.dialer.rawValue].session = session
        collect(.dialer)
    }

    private static func path(of side: Side) -> DatagramPath? {
        side == .dialer ? RehearsalIdentity.path(from: 1, to: 2) : RehearsalIdentity.path(from: 2, to: 1)
    }

    // MARK: What can be seen

    /// Datagrams that a side has sent and that are not carried yet.
    package func waiting(from side: Side) -> Int { ends[side.rawValue].outbox.count }

    /// Whether a side's session has ended.
    package func isOver(_ side: Side) -> Bool { ends[side.rawValue].isOver }

    /// Whether TLS is done on a side.
    package func isEstablished(_ side: Side) -> Bool {
        guard let session = ends[side.rawValue].session, !isOver(side) else { return false }
        return session.isEstablished
    }

    /// Bytes that the library holds for a side, and what is the most that it may.
    package func memory(of side: Side) -> (used: Int, limit: Int) {
        guard let session = ends[side.rawValue].session, !isOver(side) else { return (0, 0) }
        return (session.memoryUsed, 2 * RehearsalIdentity.settings.memoryLimit)
    }

    /// Bytes that have arrived at a side, by stream.
    package func received(at side: Side) -> [Int64: Int] { ends[side.rawValue].received }

    /// The byte that a stream carries at a place; anything else that arrives is a fault.
    package static func pattern(_ stream: Int64, _ offset: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: offset &* 31 &+ Int(stream))
    }

    // MARK: The network

    /// Takes the first datagram that a side has sent; it may be changed and given to ``carry(_:from:)``, or not.
    package func take(from side: Side) -> [UInt8]? {
        guard !ends[side.rawValue].outbox.isEmpty else { return nil }
        return ends[side.rawValue].outbox.removeFirst()
    }

    /// Brings a datagram to the other side.
    package func carry(_ datagram: [UInt8], from side: Side) {
        let target = side.peer
        guard !isOver(target), let path = Self.path(of: target) else { return }
        datagram.withUnsafeBytes { bytes in
            if target == .listener, ends[target.rawValue].session == nil { accept(bytes, path) }
            guard let session = ends[target.rawValue].session else { return }
            let ending = session.receive(bytes, on: path, now: now)
            handleEvents(target)
            if let ending { end(target, ending) }
        }
        collect(target)
    }

    /// Carries everything there and back until nothing is sent any more, or for `rounds`.
    package func carryAll(rounds: Int = 64) {
        for _ in 0..<rounds {
            var isQuiet = true
            for side in Side.allCases {
                while let datagram = take(from: side) {
                    isQuiet = false
                    carry(datagram, from: side)
                }
            }
            if isQuiet { return }
        }
    }

    private func accept(_ bytes: UnsafeRawBufferPointer, _ path: DatagramPath) {
        guard let listener = RehearsalIdentity.listener,
            case .yes(let packet) = FirstPacket.judge(bytes, on: path, listener.context, now: now)
        else { return }
        let made = QUICSession.listener(
            for: packet, on: path, listener.context, RehearsalIdentity.settings, now: now,
            unixTime: { RehearsalIdentity.unixTime })
        ends[Side.listener.rawValue].session = made?.0
    }

    // MARK: Time

    /// Lets time pass, and does on both sides what has become due.
    package func advance(by duration: Duration) {
        now = now.advanced(by: duration)
        for side in Side.allCases {
            guard let session = ends[side.rawValue].session, !isOver(side) else { continue }
            if let deadline = session.deadline, deadline <= now {
                let ending = session.expire(now: now)
                handleEvents(side)
                if let ending { end(side, ending) }
            }
            collect(side)
        }
    }

    // MARK: The owners

    /// Has a side open a stream.
    package func openStream(_ side: Side) -> Int64? {
        guard isEstablished(side), let id = ends[side.rawValue].session?.openStream() else { return nil }
        ends[side.rawValue].openStreams.insert(id)
        return id
    }

    /// The streams open at a side, in order.
    package func streams(_ side: Side) -> [Int64] { ends[side.rawValue].openStreams.sorted() }

    /// What a side does with a stream.
    package enum Action: Sendable {
        case send([UInt8]), finish, reset, stopReading
    }

    /// Has a side do something with a stream.
    package func act(_ action: Action, _ id: Int64, _ side: Side) {
        guard let session = ends[side.rawValue].session, !isOver(side), ends[side.rawValue].openStreams.contains(id)
        else { return }
        switch action {
        case .send(let bytes): session.send(bytes.prefix(session.room(on: id)), on: id)
        case .finish: session.finish(id)
        case .reset: session.reset(id, code: CloseCode.streamReset)
        case .stopReading: session.stopReading(id, code: CloseCode.streamAbandoned)
        }
        collect(side)
    }

    /// How many bytes of a stream a side takes now.
    package func room(_ id: Int64, _ side: Side) -> Int {
        guard let session = ends[side.rawValue].session, !isOver(side) else { return 0 }
        return session.room(on: id)
    }

    /// Has a side begin with fresh keys, if it may.
    package func updateKeys(_ side: Side) {
        guard isEstablished(side) else { return }
        _ = ends[side.rawValue].session?.updateKeys(now: now)
        collect(side)
    }

    /// Has a side close.
    package func close(_ side: Side) {
        guard ends[side.rawValue].session != nil, !isOver(side) else { return }
        end(side, .closedLocally)
    }

    private func handleEvents(_ side: Side) {
        guard let session = ends[side.rawValue].session else { return }
        for event in session.takeEvents() {
            switch event {
            case .streamOpened(let id): ends[side.rawValue].openStreams.insert(id)
            case .streamClosed(let id): ends[side.rawValue].openStreams.remove(id)
            case .data(let id, let bytes, _):
                let start = ends[side.rawValue].received[id, default: 0]
                for (offset, byte) in bytes.enumerated() {
                    precondition(byte == Self.pattern(id, start + offset), "a stream carries what was not sent")
                }
                ends[side.rawValue].received[id] = start + bytes.count
                session.consumed(bytes.count, on: id)
            default: break
            }
        }
    }

    private func collect(_ side: Side) {
        guard let session = ends[side.rawValue].session, !isOver(side) else { return }
        ends[side.rawValue].outbox += session.output(now: now)
        handleEvents(side)
    }

    private func end(_ side: Side, _ ending: QUICEnding) {
        guard let session = ends[side.rawValue].session, !isOver(side) else { return }
        if case .closedByPeer = ending {
        } else {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DatagramSize.largest) { buffer in
                var path = DatagramPath()
                guard let size = session.close(code: CloseCode.orderly, into: buffer, &path, now: now) else { return }
                ends[side.rawValue].outbox.append(Array(buffer[..<size]))
            }
        }
        ends[side.rawValue].isOver = true
        session.free()
    }
}
