import AnySyncWire
import ProtoWire

/// Replays tcp_session.json: a whole connection of the reference's client and node. Its TLS part cannot be decrypted, so
/// only its records are checked; what follows in the clear is played with our code on either side.
struct TcpSessionReplay: VectorFile {
    static let stem = "tcp_session"

    private struct Write {
        let isClient: Bool
        let isPlain: Bool
        let bytes: [UInt8]
    }

    private let description: String

    init(file: JSON) {
        description = file["description"]?.stringValue ?? ""
    }

    func replay(_ vector: JSON) throws {
        let writes = try vector.array("writes").map { write in
            let (sender, phase) = try (write.string("sender"), write.string("phase"))
            try expect(["client", "server"].contains(sender), "a sender is client or server, not \(sender)")
            try expect(["tls", "plain"].contains(phase), "a phase is tls or plain, not \(phase)")
            return Write(isClient: sender == "client", isPlain: phase == "plain", bytes: try write.hex("bytes"))
        }
        try checkOrder(writes)
        for isClient in [true, false] {
            try checkRecords(writes.filter { !$0.isPlain && $0.isClient == isClient }.flatMap(\.bytes)[...])
        }
        let plain = writes.filter(\.isPlain)
        try replayDialer(plain)
        try replayListener(plain)
    }

    /// Once a side has written in the clear it writes no more TLS, and the dialer is the first to do so.
    private func checkOrder(_ writes: [Write]) throws {
        let plain = writes.drop { !$0.isPlain }
        try expect(plain.allSatisfy(\.isPlain), "no TLS after the first plain bytes")
        try expect(plain.first?.isClient == true, "the dialer writes the first plain bytes")
    }

    private func checkRecords(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty {
            let header = Array(rest.prefix(5))
            try expect(header.count, equals: 5, "bytes of a record's header")
            try expect((20...23).contains(header[0]), "a record's type is 20 to 23, not \(header[0])")
            try expect(header[1] == 3 && (1...3).contains(header[2]), "a record's version is 3.1 to 3.3")
            let length = Int(header[3]) << 8 | Int(header[4])
            try expect(length > 0 && length <= 16_384 + 256, "a record's length is 1 to 16640, not \(length)")
            try expect(rest.count >= 5 + length, "the records end where the TLS phase does")
            rest = rest.dropFirst(5 + length)
        }
    }

    private func replayDialer(_ writes: [Write]) throws {
        let recorded = try RecordedCall(
            client: streamData(writes, ofClient: true), server: streamData(writes, ofClient: false))
        try expect(description.contains(recorded.method), "the description names the rpc \(recorded.method)")
        for text in recorded.texts {
            try expect(description.contains("'\(text)'"), "the description names the token '\(text)'")
        }
        var session = YamuxSession(role: .dialer, now: .zero)
        var opener = ProtoOpener(offering: recorded.offer)
        var client: DRPCClientStream?
        var outcome: DRPCOutcome?
        var written: [UInt8] = []
        let stream = try session.open(now: .zero)
        _ = try session.send(opener.start()[...], on: stream)
        written += session.takeOutput()
        for write in writes where !write.isClient {
            for case .data(stream, var bytes) in session.receive(write.bytes[...], now: .zero) {
                if client == nil, let encoding = try opener.receive(&bytes).result?.get() {
                    client = DRPCClientStream(encoding: encoding)
                    let request = try client?.start(recorded.rpc, request: recorded.request) ?? []
                    _ = try session.send(request[...], on: stream)
                }
                outcome = try client?.receive(bytes) ?? outcome
                written += session.takeOutput()
            }
        }
        try expect(outcome, equals: .message(recorded.answer), "outcome")
        try expect(session.closure, equals: nil, "why the session ended")
        // The reference's caller closes an answered call, ours does not need to. Another compressor gives other bytes.
        let ours = try RecordedCall(
            client: streamData([Write(isClient: true, isPlain: true, bytes: written)], ofClient: true),
            server: streamData(writes, ofClient: false))
        try expect(ours, equals: recorded, "the call as our side wrote it")
        try expect(written.starts(with: writes.first?.bytes ?? []), "the stream is opened as the reference opens it")
    }

    private func replayListener(_ writes: [Write]) throws {
        let recorded = try RecordedCall(
            client: streamData(writes, ofClient: true), server: streamData(writes, ofClient: false))
        var session = YamuxSession(role: .listener, now: .zero)
        var responder = ProtoResponder()
        var server: DRPCServerStream?
        var written: [UInt8] = []
        var calls = 0
        for write in writes where write.isClient {
            for event in session.receive(write.bytes[...], now: .zero) {
                if case .streamOpened(let stream) = event { session.accept(stream) }
                guard case .data(let stream, var bytes) = event else { continue }
                if server == nil {
                    let step = responder.receive(&bytes)
                    _ = try session.send(step.output[...], on: stream)
                    if let encoding = try step.result?.get() { server = DRPCServerStream(encoding: encoding) }
                }
                var events: [DRPCServerEvent] = []
                try server?.receive(bytes, into: &events)
                for case .call(let call) in events {
                    calls += 1
                    try expect(call.rpc, equals: recorded.rpc, "rpc")
                    try expect(call.request, equals: recorded.request, "request")
                    let answer = server?.reply(to: call.id, with: recorded.answer) ?? []
                    _ = try session.send(answer[...], on: stream)
                }
            }
            written += session.takeOutput()
        }
        try expect(calls, equals: 1, "calls")
        try expect(session.closure, equals: nil, "why the session ended")
        let expected = streamData(writes, ofClient: false)
        let found = streamData([Write(isClient: false, isPlain: true, bytes: written)], ofClient: false)
        try expect(found, equals: expected, "bytes of the stream as our side wrote them")
        let acks = try YamuxScript.joinedFrames(writes.filter { !$0.isClient }.flatMap(\.bytes)).filter { $0[0...1] == [0, 1] }
        try expect(
            YamuxScript.joinedFrames(written).filter { $0[0...1] == [0, 1] }, equals: acks, "window updates written")
    }

    /// What a side wrote to the connection's one stream.
    private func streamData(_ writes: [Write], ofClient isClient: Bool) -> [UInt8] {
        var session = YamuxSession(role: isClient ? .listener : .dialer, now: .zero)
        // A dialer of ours knows the stream only when it has opened it.
        if !isClient { _ = try? session.open(now: .zero) }
        var bytes: [UInt8] = []
        for write in writes where write.isClient == isClient {
            for case .data(_, let piece) in session.receive(write.bytes[...], now: .zero) { bytes += piece }
        }
        return bytes
    }
}

/// The one call of a stream: handshake, invoke, request and answer.
private struct RecordedCall: Equatable {
    let offer: ProtoOffer
    let rpc: String
    let request: [UInt8]
    let answer: [UInt8]

    init(client: [UInt8], server: [UInt8]) throws {
        var (asked, answered) = (client[...], server[...])
        var reader = HandshakeFrameReader()
        guard let frame = try reader.next(&asked, accepting: [.proto]) else {
            throw VectorMismatch("the stream does not start with a proto handshake")
        }
        offer = try ProtoOffer(decoding: frame.body)
        var opener = ProtoOpener(offering: offer)
        guard let encoding = try opener.receive(&answered).result?.get() else {
            throw VectorMismatch("the proto handshake was not answered")
        }
        var stream = DRPCServerStream(encoding: encoding)
        var events: [DRPCServerEvent] = []
        try stream.receive(asked, into: &events)
        guard case .call(let call)? = events.first else { throw VectorMismatch("expected a call, found \(events)") }
        // Unanswered here, the call is given up by the close that the reference's caller sends after the answer.
        try expect(events.dropFirst().allSatisfy { $0 == .cancelled(call.id) }, "there is one call")
        (rpc, request) = (call.rpc, call.request)
        var caller = DRPCClientStream(encoding: encoding)
        _ = try caller.start(rpc, request: request)
        guard case .message(let answer)? = try caller.receive(answered) else {
            throw VectorMismatch("the call was not answered")
        }
        self.answer = answer
    }

    /// The rpc's name without its service.
    var method: String {
        rpc.split(separator: "/").last.map(String.init) ?? rpc
    }

    /// The request's strings and bytes: of a SetToken, the token.
    var texts: [String] {
        var reader = ProtoReader(request)
        var texts: [String] = []
        while let field = try? reader.nextField() {
            guard field == 2 else {
                guard (try? reader.skip()) != nil else { return texts }
                continue
            }
            guard let bytes = try? reader.bytes() else { return texts }
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        return texts
    }
}
