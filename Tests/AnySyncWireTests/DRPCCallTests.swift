import AnySyncWire
import Testing

/// A caller and a called side joined by an imagined stream, agreed on `encoding`.
private struct Joined {
    var client: DRPCClientStream
    var server: DRPCServerStream

    init(_ encoding: MessageEncoding, limits: DRPCLimits = DRPCLimits()) {
        client = DRPCClientStream(encoding: encoding, limits: limits)
        server = DRPCServerStream(encoding: encoding, limits: limits)
    }

    mutating func toServer(_ bytes: [UInt8]) throws(DRPCError) -> [DRPCServerEvent] {
        var events: [DRPCServerEvent] = []
        try server.receive(bytes[...], into: &events)
        return events
    }
}

private func packet(
    _ kind: DRPCKind, _ stream: UInt64, _ message: UInt64, _ body: [UInt8] = [], control: Bool = false
) -> [UInt8] {
    var bytes: [UInt8] = []
    DRPCFrameHeader(kind, isControl: control, stream: stream, message: message, length: UInt64(body.count))
        .encode(to: &bytes)
    return bytes + body
}

@Suite struct DRPCCallTests {
    @Test(arguments: MessageEncoding.allCases)
    func callsFollowEachOther(_ encoding: MessageEncoding) throws {
        var joined = Joined(encoding)
        for id in 1...3 as ClosedRange<UInt64> {
            let request = [UInt8](repeating: UInt8(id), count: Int(id) * 70_000 - 70_000)
            let events = try joined.toServer(joined.client.start("/a.B/C", request: request))
            #expect(events == [.call(DRPCCall(id: id, rpc: "/a.B/C", request: request))])
            #expect(joined.client.isBusy)
            let answer = joined.server.reply(to: id, with: request.reversed() + [9])
            #expect(try joined.client.receive(answer[...]) == .message(request.reversed() + [9]))
            #expect(!joined.client.isBusy)
        }
    }

    @Test func anErrorLeavesTheStreamUsable() throws {
        var joined = Joined(.snappy)
        let error = RPCError(code: 1202, text: "no")
        _ = try joined.toServer(joined.client.start("/x", request: [1]))
        var answer = joined.server.fail(1, with: error)
        #expect(try joined.client.receive(answer[...]) == .failure(error))
        let request = try joined.client.start("/x", request: [])
        #expect(try joined.toServer(request).count == 1)
        answer = joined.server.reply(to: 2, with: [])
        #expect(try joined.client.receive(answer[...]) == .message([]))
    }

    @Test func oneCallAtATime() throws {
        var joined = Joined(.none)
        _ = try joined.client.start("/x", request: [])
        #expect(throws: DRPCStartError.callInProgress) { try joined.client.start("/x", request: []) }
        let ended = [joined.client.transportEnded(), joined.client.transportEnded()]
        #expect(ended == [true, false])
        #expect(throws: DRPCStartError.streamOver) { try joined.client.start("/x", request: []) }
        #expect(try joined.client.receive(packet(.message, 1, 1)[...]) == nil)
    }

    @Test func bytesOneAtATimeGiveTheSameCall() throws {
        var joined = Joined(.snappy)
        let request = (0..<3000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        var events: [DRPCServerEvent] = []
        for byte in try joined.client.start("/a", request: request) { events += try joined.toServer([byte]) }
        #expect(events == [.call(DRPCCall(id: 1, rpc: "/a", request: request))])
        var outcomes: [DRPCOutcome] = []
        for byte in joined.server.reply(to: 1, with: request) {
            if let outcome = try joined.client.receive([byte]) { outcomes.append(outcome) }
        }
        #expect(outcomes == [.message(request)])
    }
}

@Suite struct DRPCClientStreamTests {
    private func started(_ encoding: MessageEncoding = .none) throws -> DRPCClientStream {
        var client = DRPCClientStream(encoding: encoding)
        _ = try client.start("/x", request: [])
        return client
    }

    @Test func invokeMessageAndCloseSendAreOneWrite() throws {
        var client = DRPCClientStream(encoding: .none)
        #expect(
            try client.start("/x", request: [7])
                == packet(.invoke, 1, 1, [0x2f, 0x78]) + packet(.message, 1, 2, [7]) + packet(.closeSend, 1, 3))
    }

    @Test func anAnswerWithoutMessageIsAnError() throws {
        for kind in [DRPCKind.close, .closeSend, .cancel] {
            var client = try started()
            #expect(try client.receive(packet(kind, 1, 1)[...]) == .failure(.endOfCall))
        }
    }

    @Test func whatIsLeftOfEarlierCallsIsIgnored() throws {
        var client = try started()
        _ = try client.receive(packet(.message, 1, 1)[...])
        _ = try client.start("/x", request: [])
        let late = packet(.closeSend, 1, 2) + packet(.error, 1, 3, [1]) + packet(.message, 1, 4, [5])
        #expect(try client.receive(late[...]) == nil)
        #expect(client.isBusy)
        #expect(try client.receive(packet(.message, 2, 1, [6])[...]) == .message([6]))
    }

    @Test func whatFollowsAnAnswerIsIgnored() throws {
        var client = try started()
        let bytes = packet(.message, 1, 1, [1]) + packet(.message, 1, 2, [2]) + packet(.error, 1, 3)
        #expect(try client.receive(bytes[...]) == .message([1]))
        #expect(try client.receive(packet(.close, 1, 4)[...]) == nil)
    }

    @Test func aPeerThatBreaksTheProtocolEndsTheStream() throws {
        let broken: [([UInt8], DRPCError)] = [
            (packet(.message, 2, 1), .answerWithoutCall(stream: 2)),
            (packet(.invoke, 1, 1), .answerWithoutCall(stream: 1)),
            (packet(.init(rawValue: 9), 1, 1), .unknownKind(.init(rawValue: 9))),
            (packet(.init(rawValue: 0), 1, 1), .unknownKind(.init(rawValue: 0))),
        ]
        for (bytes, error) in broken {
            var client = try started()
            #expect(throws: error) { try client.receive(bytes[...]) }
            #expect(!client.isBusy)
            #expect(throws: DRPCStartError.streamOver) { try client.start("/x", request: []) }
        }
        var client = try started()
        #expect(try client.receive(packet(.init(rawValue: 9), 1, 1, control: true)[...]) == nil)
        #expect(client.isBusy)
    }

    @Test func anAnswerCountsWhateverFollowsIt() throws {
        let bytes = packet(.message, 1, 1, [5]) + packet(.message, 1, 1)
        var client = try started()
        #expect(try client.receive(bytes[...]) == .message([5]))
        #expect(client.isOver)
        #expect(throws: DRPCStartError.streamOver) { try client.start("/x", request: []) }
    }

    @Test func anAnswerThatDoesNotDecompressEndsTheStream() throws {
        var client = try started(.snappy)
        #expect(throws: DRPCError.undecodableAnswer(.snappy(.malformed))) {
            try client.receive(packet(.message, 1, 1)[...])
        }
        // A block that claims more than the limit is refused before it is given room.
        client = try started(.snappy)
        #expect(throws: DRPCError.undecodableAnswer(.snappy(.tooLarge(declared: 1 << 22, limit: 1 << 21)))) {
            try client.receive(packet(.message, 1, 1, [0x80, 0x80, 0x80, 0x02, 0x00])[...])
        }
    }
}

@Suite struct DRPCServerStreamTests {
    @Test func aCallWithoutMessageFails() throws {
        var joined = Joined(.none)
        let events = try joined.toServer(packet(.invoke, 1, 1, [0x61]) + packet(.closeSend, 1, 2))
        #expect(events == [.write(packet(.error, 1, 1, RPCError(code: 0, text: "EOF").encoded))])
        #expect(try joined.toServer(packet(.invoke, 2, 1) + packet(.message, 2, 2)).count == 1)
    }

    @Test func aSecondInvokeCancelsTheFirst() throws {
        var joined = Joined(.none)
        _ = try joined.toServer(packet(.invoke, 1, 1) + packet(.message, 1, 2))
        let events = try joined.toServer(packet(.invoke, 2, 1, [0x62]) + packet(.message, 2, 2, [5]))
        #expect(events == [.cancelled(1), .call(DRPCCall(id: 2, rpc: "b", request: [5]))])
        #expect(joined.server.reply(to: 1, with: [1]) == [])
        #expect(joined.server.fail(1, with: .endOfCall) == [])
        #expect(joined.server.reply(to: 2, with: [1]) == packet(.message, 2, 1, [1]) + packet(.closeSend, 2, 2))
        #expect(joined.server.reply(to: 2, with: [1]) == [])
    }

    @Test(arguments: [DRPCKind.cancel, .close, .error])
    func aCallThatIsGivenUpIsNotAnswered(_ kind: DRPCKind) throws {
        var joined = Joined(.none)
        _ = try joined.toServer(packet(.invoke, 1, 1) + packet(.message, 1, 2) + packet(.closeSend, 1, 3))
        #expect(try joined.toServer(packet(kind, 1, 4)) == [.cancelled(1)])
        #expect(joined.server.reply(to: 1, with: []) == [])
        // What else comes for it is of no interest.
        #expect(try joined.toServer(packet(.close, 1, 5) + packet(.invoke, 1, 6) + packet(.message, 1, 7)) == [])
    }

    @Test func metadataAndExtraMessagesArePassedOver() throws {
        var joined = Joined(.none)
        let bytes =
            packet(.invokeMetadata, 1, 1, [1, 2]) + packet(.invoke, 1, 2, [0x61]) + packet(.message, 1, 3, [1])
            + packet(.message, 1, 4, [2]) + packet(.init(rawValue: 33), 1, 5, control: true)
            + packet(.cancel, 7, 1)
        #expect(try joined.toServer(bytes) == [.call(DRPCCall(id: 1, rpc: "a", request: [1]))])
    }

    @Test func aPeerThatBreaksTheProtocolEndsTheStream() throws {
        let call = packet(.invoke, 1, 1) + packet(.message, 1, 2)
        let broken: [([UInt8], DRPCError)] = [
            (packet(.invoke, 1, 3), .invokedTwice(stream: 1)),
            (packet(.message, 2, 1), .messageWithoutInvoke(stream: 2)),
            (packet(.init(rawValue: 8), 1, 3), .unknownKind(.init(rawValue: 8))),
        ]
        for (bytes, error) in broken {
            var joined = Joined(.none)
            var events: [DRPCServerEvent] = []
            #expect(throws: error) { try joined.server.receive((call + bytes)[...], into: &events) }
            // The call came before the break, and is told that it is of no use any more.
            #expect(events.last == .cancelled(1))
            #expect(events.count == 2)
            #expect(joined.server.reply(to: 1, with: []) == [])
            #expect(try joined.toServer(packet(.invoke, 9, 1)) == [])
        }
    }

    @Test func aRequestThatDoesNotDecodeFailsItsCallOnly() throws {
        var limits = DRPCLimits()
        limits.maximumMessageSize = 50
        var joined = Joined(.snappy, limits: limits)
        let bad: [[UInt8]] = [[], [5], SnappyBlock.compress([UInt8](repeating: 0, count: 51))]
        for (index, body) in bad.enumerated() {
            let id = UInt64(index + 1)
            let events = try joined.toServer(packet(.invoke, id, 1) + packet(.message, id, 2, body))
            guard case .write(let bytes)? = events.first, events.count == 1 else {
                Issue.record("expected one answer, found \(events)")
                continue
            }
            var reader = DRPCPacketReader()
            var input = bytes[...]
            let answer = try reader.next(&input)
            #expect(answer?.kind == .error)
            #expect(answer?.stream == id)
            #expect(answer.map { RPCError(decoding: $0.body).code } == 0)
        }
        #expect(try joined.toServer(packet(.invoke, 9, 1) + packet(.message, 9, 2, [0])).count == 1)
    }

    @Test func theStreamsEndCancelsTheCall() throws {
        var joined = Joined(.none)
        _ = try joined.toServer(packet(.invoke, 1, 1) + packet(.message, 1, 2))
        var events: [DRPCServerEvent] = []
        joined.server.transportEnded(into: &events)
        joined.server.transportEnded(into: &events)
        #expect(events == [.cancelled(1)])
        #expect(joined.server.reply(to: 1, with: []) == [])
    }
}
