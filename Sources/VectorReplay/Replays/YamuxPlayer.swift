import AnySyncWire

/// Plays one side of a recorded session with our code: takes in what the other side wrote, and issues the commands that
/// must make our side write what the reference wrote.
struct YamuxPlayer {
    private(set) var session: YamuxSession
    private(set) var now = MonotonicTime.zero

    /// Bytes received, by stream.
    private(set) var received: [UInt32: Int] = [:]
    /// Bytes received after we had finished the stream.
    private(set) var receivedAfterFinish: [UInt32: Int] = [:]
    private(set) var opened: [UInt32] = []
    private(set) var finishedByPeer: Set<UInt32> = []
    private(set) var reset: Set<UInt32> = []

    private var written: [UInt8] = []
    private var finished: Set<UInt32> = []
    private var reported: [UInt32: Int] = [:]
    private let pieceLength: Int

    /// - Parameters:
    ///   - pieceLength: how many bytes are taken in at once.
    init(_ role: YamuxSession.Role, limits: YamuxLimits = YamuxLimits(), pieceLength: Int = .max) {
        session = YamuxSession(role: role, limits: limits, now: now)
        self.pieceLength = pieceLength
    }

    /// Takes in what the other side wrote.
    mutating func receive(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieceLength)
            rest = rest.dropFirst(piece.count)
            note(session.receive(piece, now: now))
        }
    }

    /// Takes every stream that the other side opened, as a reference listener does in the background.
    mutating func acceptAll() {
        for stream in opened { session.accept(stream) }
    }

    /// Makes our side write `write`, and nothing else.
    mutating func perform(_ write: YamuxScript.Write) throws {
        for frame in write.frames { try perform(frame) }
        written += session.takeOutput()
        let found = try YamuxScript.joinedFrames(written)
        written = []
        try expect(found, equals: try YamuxScript.joinedFrames(write.bytes), "frames written")
    }

    /// Everything written since the last `perform`.
    mutating func takeWritten() -> [UInt8] {
        defer { written = [] }
        return written + session.takeOutput()
    }

    /// Lets time pass up to the session's next deadline.
    mutating func passTime() throws {
        guard let deadline = session.nextDeadline else { throw VectorMismatch("the session waits for nothing") }
        now = max(now, deadline)
        note(session.tick(now: now))
    }

    /// Opens a stream.
    mutating func open() throws -> UInt32 {
        try session.open(now: now)
    }

    /// Writes to a stream.
    mutating func send(_ bytes: [UInt8], on stream: UInt32) throws {
        try expect(session.send(bytes[...], on: stream), equals: bytes.count, "bytes taken by send")
    }

    /// Reports everything received as dealt with.
    mutating func consumeAll() {
        for (stream, count) in received {
            session.consumed(count - reported[stream, default: 0], on: stream)
            reported[stream] = count
        }
    }

    private mutating func perform(_ frame: YamuxScript.Frame) throws {
        let header = frame.header
        switch (header.kind, header.flags) {
        case (.data, []): try send(frame.data, on: header.stream)
        case (.windowUpdate, .syn): try expect(open(), equals: header.stream, "id of the stream opened")
        case (.windowUpdate, .ack): session.accept(header.stream)
        case (.windowUpdate, .fin):
            session.finish(header.stream, now: now)
            finished.insert(header.stream)
        case (.windowUpdate, []):
            session.consumed(Int(header.length), on: header.stream)
            reported[header.stream, default: 0] += Int(header.length)
        case (.windowUpdate, .rst):
            if !session.isOpen(header.stream) {
                // Refused by itself when it came.
            } else if finished.contains(header.stream) {
                try passTime()
            } else {
                session.reset(header.stream)
            }
        case (.ping, .syn): try passTime()
        case (.ping, .ack): break
        case (.goAway, []):
            if session.closure == nil, let code = YamuxSession.GoAwayCode(rawValue: header.length) {
                session.goAway(code)
            }
        default: throw VectorMismatch("no command makes our side write \(header)")
        }
        written += session.takeOutput()
    }

    private mutating func note(_ events: [YamuxEvent]) {
        written += session.takeOutput()
        for event in events {
            switch event {
            case .streamOpened(let stream): opened.append(stream)
            case .data(let stream, let bytes):
                received[stream, default: 0] += bytes.count
                if finished.contains(stream) { receivedAfterFinish[stream, default: 0] += bytes.count }
            case .peerFinished(let stream): finishedByPeer.insert(stream)
            case .streamReset(let stream, _): reset.insert(stream)
            case .streamClosed, .sendWindowOpened, .peerWentAway, .sessionClosed: break
            }
        }
    }
}
