import AnySyncWire

/// Replays yamux.json: recorded sessions with our code on either side, and raw bytes sent to our listener.
struct YamuxReplay: VectorFile {
    static let stem = "yamux"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        let script = try YamuxScript(vector)
        // Where the bytes are cut on their way must not matter.
        for pieceLength in [Int.max, 1000, 1] {
            switch try vector.string("kind") {
            case "session":
                try replayDialer(script, vector, pieceLength)
                try replayListener(script, vector, pieceLength)
            case "inject": try replayInjection(script, vector, pieceLength)
            case let kind: throw VectorMismatch("unknown kind \(kind)")
            }
        }
    }

    private func replayDialer(_ script: YamuxScript, _ vector: JSON, _ pieceLength: Int) throws {
        var player = YamuxPlayer(.dialer, limits: limits(script, areClients: true), pieceLength: pieceLength)
        try play(script, asClient: true, &player)
        let stream = script.writes.flatMap(\.frames).last { $0.header.flags.contains(.syn) }?.header.stream ?? 0
        if vector["openError"] != nil {
            try expectError("opening a stream") { try player.open() }
        }
        if vector["readError"] != nil {
            try expect(player.reset.contains(stream), "stream \(stream) was reset")
        }
        if vector["writeError"] != nil {
            try expectError("writing") { try player.send([0], on: stream) }
        }
        if let count = vector["clientReadAfterOwnClose"]?.intValue {
            try expect(player.receivedAfterFinish[stream, default: 0], equals: count, "clientReadAfterOwnClose")
        }
        if vector["clientReadErr"] != nil {
            try expect(player.reset.contains(stream), "reading at the client fails")
        } else if vector.has("clientReadErr") {
            try expect(!player.reset.contains(stream), "reading at the client does not fail")
        }
        if vector["clientClosed"]?.boolValue == true {
            // The reference's dialer gave up waiting for the stream to be accepted.
            try player.passTime()
            try expect(player.session.closure, equals: .acceptTimeout(stream: stream), "why the session ended")
        } else {
            try expect(player.session.closure, equals: nil, "why the session ended")
        }
        try expect(player.takeWritten(), equals: [], "written after the script")
    }

    private func replayListener(_ script: YamuxScript, _ vector: JSON, _ pieceLength: Int) throws {
        var player = YamuxPlayer(.listener, limits: limits(script, areClients: false), pieceLength: pieceLength)
        if script.writes.first?.isClient == false {
            // Our listener is silent until the dialer's first byte; an answer that nobody asked for is one.
            var frame: [UInt8] = []
            YamuxHeader(.ping, flags: .ack, stream: 0, length: 0).encode(to: &frame)
            player.receive(frame)
        }
        try play(script, asClient: false, &player)
        let stream = script.writes.flatMap(\.frames).first { $0.header.flags.contains(.syn) }?.header.stream ?? 0
        if let count = vector["received"]?.intValue {
            try expect(player.received[stream, default: 0], equals: count, "received")
            player.consumeAll()
        }
        switch vector["serverRead"] {
        case .int(let count): try expect(player.received[stream, default: 0], equals: Int(count), "serverRead")
        case .string: try expect(player.reset.contains(stream), "reading at the server fails")
        default: break
        }
        if vector["serverSecondRead"] != nil {
            try expect(player.finishedByPeer.contains(stream), "reading at the server comes to an end")
        }
        if vector["serverWriteAfterFin"] != nil {
            try expectError("writing after the client's FIN") { try player.send([0], on: stream) }
        }
        try expect(player.session.closure, equals: nil, "why the session ended")
        try expect(player.takeWritten(), equals: [], "written after the script")
    }

    private func play(_ script: YamuxScript, asClient: Bool, _ player: inout YamuxPlayer) throws {
        for write in script.writes {
            if write.isClient == asClient {
                try player.perform(write)
            } else {
                player.receive(write.bytes)
            }
        }
    }

    /// The backlog that the recorded side had: it refused a stream exactly when one more waited to be accepted.
    private func limits(_ script: YamuxScript, areClients: Bool) -> YamuxLimits {
        var limits = YamuxLimits()
        var waiting: Set<UInt32> = []
        for write in script.writes {
            for header in write.frames.map(\.header) {
                if write.isClient != areClients {
                    if header.flags.contains(.syn), header.kind != .ping { waiting.insert(header.stream) }
                } else if header.flags.contains(.rst), waiting.contains(header.stream) {
                    limits.acceptBacklog = waiting.count - 1
                } else if header.kind != .ping {
                    waiting.remove(header.stream)
                }
            }
        }
        return limits
    }

    private func replayInjection(_ script: YamuxScript, _ vector: JSON, _ pieceLength: Int) throws {
        var player = YamuxPlayer(.listener, pieceLength: pieceLength)
        for write in script.writes where write.isClient {
            player.receive(write.bytes)
            player.acceptAll()
        }
        // Whether and when the reference's ACK appears races with its accept.
        let isComparable = { (frame: [UInt8]) in YamuxHeader(decoding: frame[...])?.flags != .ack || frame[1] == 2 }
        let expected = script.writes.filter { !$0.isClient }.flatMap(\.bytes)
        try expect(
            YamuxScript.joinedFrames(player.takeWritten()).filter(isComparable),
            equals: YamuxScript.joinedFrames(expected).filter(isComparable), "frames written")
        try expect(player.session.closure != nil, equals: vector.bool("serverClosed"), "serverClosed")
    }
}
