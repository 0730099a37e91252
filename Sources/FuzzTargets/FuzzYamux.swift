import AnySyncWire

/// Lets a stranger speak yamux to either side: cutting its bytes elsewhere must not matter, and whatever the owner does
/// in between, memory and answers stay within their bounds.
public func fuzzYamux(_ bytes: [UInt8]) {
    for role in [YamuxSession.Role.listener, .dialer] {
        let whole = play([bytes[...]], role)
        let cut = play(pieces(bytes), role)
        precondition(whole.events == cut.events, "cutting matters for the events")
        precondition(whole.output == cut.output, "cutting matters for the output")
        precondition(whole.output.count <= 12 * (bytes.count / 12 + 3), "more is answered than was asked")
        live(bytes, role)
    }
}

private func play(
    _ pieces: [ArraySlice<UInt8>], _ role: YamuxSession.Role
) -> (events: [YamuxEvent], output: [UInt8]) {
    var session = YamuxSession(role: role, now: .zero)
    if role == .dialer { _ = try? session.open(now: .zero) }
    var events: [YamuxEvent] = []
    for piece in pieces {
        for event in session.receive(piece, now: .zero) {
            if case .data(let stream, let bytes) = event, case .data(stream, let before)? = events.last {
                events[events.count - 1] = .data(stream: stream, before + bytes)
            } else {
                events.append(event)
            }
        }
    }
    return (events, session.takeOutput())
}

/// An owner that does something after each piece, chosen by the piece.
private func live(_ bytes: [UInt8], _ role: YamuxSession.Role) {
    var limits = YamuxLimits()
    limits.maximumPendingOutput = 4096
    limits.controlReserve = 1024
    limits.maximumIncomingStreams = 8
    limits.maximumOutgoingStreams = 4
    limits.maximumIdleFrames = 100
    var session = YamuxSession(role: role, limits: limits, now: .zero)
    var now = MonotonicTime.zero
    var received = 0
    for piece in pieces(bytes) {
        let events = session.receive(piece, now: now)
        for event in events {
            guard case .data(let stream, let data) = event else { continue }
            received += data.count
            session.consumed(data.count, on: stream)
        }
        let choice = piece.first ?? 0
        let stream = UInt32(choice & 7)
        switch choice >> 4 {
        case 0: session.accept(stream)
        case 1: session.finish(stream, now: now)
        case 2: session.reset(stream)
        case 3: _ = try? session.open(now: now)
        case 4: _ = try? session.send([UInt8](repeating: choice, count: 3000)[...], on: stream)
        case 5: _ = session.takeOutput()
        case 6: session.goAway()
        case 7:
            now = now.advanced(by: .seconds(Int(choice & 15)))
            _ = session.tick(now: now)
            if let deadline = session.nextDeadline { precondition(deadline > now, "something is due for ever") }
        default: break
        }
        precondition(received <= bytes.count, "more arrived than was sent")
        precondition(session.streamCount <= 12, "too many streams")
        precondition(session.pendingOutput <= 4096 + 1024 + 1024, "too much output waits")
        precondition((session.closure == nil) == (session.nextDeadline != nil), "a closed session waits")
    }
}
