import AnySyncWire

/// Lets a stranger speak DRPC to either side: cutting its bytes elsewhere must not matter, and no more comes out than
/// went in.
public func fuzzDRPC(_ bytes: [UInt8]) {
    let whole = packets([bytes[...]])
    let cut = packets(pieces(bytes))
    precondition(whole.packets == cut.packets && whole.error == cut.error, "cutting matters for the packets")
    precondition(whole.packets.reduce(0) { $0 + $1.body.count } <= bytes.count, "more was read than there is")
    for encoding in MessageEncoding.allCases {
        let served = serve([bytes[...]], encoding)
        precondition(served == serve(pieces(bytes), encoding), "cutting matters for the calls")
        precondition(call([bytes[...]], encoding) == call(pieces(bytes), encoding), "cutting matters for the answers")
    }
    let error = RPCError(decoding: bytes[...])
    precondition(RPCError(decoding: error.encoded[...]) == error)
}

private func packets(_ pieces: [ArraySlice<UInt8>]) -> (packets: [DRPCPacket], error: DRPCError?) {
    var reader = DRPCPacketReader()
    var packets: [DRPCPacket] = []
    do throws(DRPCError) {
        for var piece in pieces {
            while let packet = try reader.next(&piece) { packets.append(packet) }
            precondition(piece.isEmpty, "bytes are left over")
        }
        return (packets, nil)
    } catch {
        return (packets, error)
    }
}

private struct Served: Equatable {
    var events: [DRPCServerEvent] = []
    var error: DRPCError?
}

private func serve(_ pieces: [ArraySlice<UInt8>], _ encoding: MessageEncoding) -> Served {
    var limits = DRPCLimits()
    limits.maximumMessageSize = 4096
    var server = DRPCServerStream(encoding: encoding, limits: limits)
    var served = Served()
    do throws(DRPCError) {
        for piece in pieces {
            try server.receive(piece, into: &served.events)
        }
    } catch {
        served.error = error
    }
    var open: UInt64?
    for event in served.events {
        switch event {
        case .call(let call):
            precondition(open == nil, "two calls are open")
            precondition(call.request.count <= limits.maximumMessageSize, "a request is too large")
            open = call.id
        case .cancelled(let id):
            precondition(open == id, "a call is cancelled that is not open")
            open = nil
        case .write(let bytes): precondition(!bytes.isEmpty, "nothing is written")
        }
    }
    if let open {
        precondition(!server.reply(to: open, with: [1]).isEmpty, "an open call is not answered")
        precondition(server.fail(open, with: .endOfCall).isEmpty, "a call is answered twice")
    }
    return served
}

private struct Called: Equatable {
    var outcomes: [DRPCOutcome] = []
    var isOver = false
}

private func call(_ pieces: [ArraySlice<UInt8>], _ encoding: MessageEncoding) -> Called {
    var client = DRPCClientStream(encoding: encoding)
    var called = Called()
    _ = try? client.start("/a", request: [])
    for piece in pieces {
        guard let outcome = try? client.receive(piece) else { continue }
        called.outcomes.append(outcome)
    }
    precondition(called.outcomes.count <= 1, "one call ends twice")
    called.isOver = client.isOver
    return called
}
