extension YamuxSession {
    /// Takes in what the connection received.
    ///
    /// Cutting the same bytes elsewhere gives the same events, but for where ``YamuxEvent/data(stream:_:)`` is cut.
    /// After the session's end everything is ignored.
    ///
    /// - Parameters:
    ///   - bytes: what arrived, of any length.
    ///   - now: the time it arrived.
    ///   - events: what the peer did is appended here.
    public mutating func receive(_ bytes: ArraySlice<UInt8>, now: MonotonicTime, into events: inout [YamuxEvent]) {
        guard closure == nil, !bytes.isEmpty else { return }
        if !mayWrite {
            mayWrite = true
            pingDeadline = nil
            nextPing = now.advanced(by: limits.pingInterval)
        }
        var input = bytes
        while closure == nil, !input.isEmpty {
            if body.remaining > 0 {
                takeBody(from: &input, into: &events)
            } else if let header = takeHeader(from: &input) {
                handle(header, now: now, into: &events)
            }
        }
    }

    /// Takes in what the connection received; see ``receive(_:now:into:)``.
    public mutating func receive(_ bytes: ArraySlice<UInt8>, now: MonotonicTime) -> [YamuxEvent] {
        var events: [YamuxEvent] = []
        receive(bytes, now: now, into: &events)
        return events
    }

    private mutating func takeHeader(from input: inout ArraySlice<UInt8>) -> YamuxHeader? {
        if partialHeader.isEmpty, let header = YamuxHeader(decoding: input) {
            input = input.dropFirst(YamuxHeader.size)
            return header
        }
        let piece = input.prefix(YamuxHeader.size - partialHeader.count)
        partialHeader.append(contentsOf: piece)
        input = input.dropFirst(piece.count)
        guard let header = YamuxHeader(decoding: partialHeader[...]) else { return nil }
        partialHeader.removeAll()
        return header
    }

    private mutating func takeBody(from input: inout ArraySlice<UInt8>, into events: inout [YamuxEvent]) {
        let piece = input.prefix(Int(body.remaining))
        input = input.dropFirst(piece.count)
        body.remaining -= UInt32(piece.count)
        guard let stream = body.stream else { return }
        events.append(.data(stream: stream, piece))
        if body.remaining == 0, body.finishes {
            peerFinished(stream, into: &events)
        }
    }

    private mutating func handle(_ header: YamuxHeader, now: MonotonicTime, into events: inout [YamuxEvent]) {
        guard header.version == YamuxHeader.version else {
            return close(.wrongVersion(header.version), into: &events)
        }
        switch header.kind {
        case .data, .windowUpdate: handleStreamFrame(header, now: now, into: &events)
        case .ping: handlePing(header, now: now, into: &events)
        case .goAway: handleGoAway(header, now: now, into: &events)
        default: close(.unknownFrameType(header.kind.rawValue), into: &events)
        }
    }

    private mutating func handleStreamFrame(
        _ header: YamuxHeader, now: MonotonicTime, into events: inout [YamuxEvent]
    ) {
        let id = header.stream
        if header.kind == .data {
            // Passed over unless the stream is found to be open: it costs nothing, so any length will do.
            body = Body(stream: nil, remaining: header.length)
        }
        if header.flags.contains(.syn) {
            guard openIncoming(id, now: now, into: &events) else { return }
        }
        guard let index = streams.index(forKey: id) else { return countIdleFrame(now, into: &events) }
        if header.flags.contains(.rst) {
            let abandoned = streams.values[index].state.contains(.incoming)
            remove(id)
            events.append(.streamReset(stream: id, .byPeer))
            // Opening and abandoning streams costs the peer little and us more.
            if abandoned { countIdleFrame(now, into: &events) }
            return
        }
        if !streams.values[index].state.contains(.incoming) {
            acknowledge(index)
        }
        switch header.kind {
        case .data: receiveData(header, at: index, now: now, into: &events)
        default: receiveWindowUpdate(header, at: index, now: now, into: &events)
        }
    }

    private mutating func receiveData(
        _ header: YamuxHeader, at index: Dictionary<UInt32, YamuxStream>.Index, now: MonotonicTime,
        into events: inout [YamuxEvent]
    ) {
        let window = streams.values[index].receiveWindow
        let finishes = header.flags.contains(.fin)
        let hasFinished = streams.values[index].state.contains(.peerFinished)
        if hasFinished, finishes {
            return close(.frameAfterFinish(stream: header.stream), goAway: .protocolError, into: &events)
        }
        guard header.length <= window else {
            let reason = YamuxClosure.receiveWindowExceeded(
                stream: header.stream, length: header.length, window: window)
            return close(reason, goAway: .protocolError, into: &events)
        }
        streams.values[index].receiveWindow = window - header.length
        // The reference's reader is done with a finished stream too, and lets its peer go on.
        guard !hasFinished else { return countIdleFrame(now, into: &events) }
        if header.length > 0 {
            body.stream = header.stream
            body.finishes = finishes
        } else if finishes {
            peerFinished(header.stream, into: &events)
        }
    }

    private mutating func receiveWindowUpdate(
        _ header: YamuxHeader, at index: Dictionary<UInt32, YamuxStream>.Index, now: MonotonicTime,
        into events: inout [YamuxEvent]
    ) {
        if header.flags.contains(.fin), streams.values[index].state.contains(.peerFinished) {
            return close(.frameAfterFinish(stream: header.stream), goAway: .protocolError, into: &events)
        }
        if header.length > 0 {
            streams.values[index].grant(header.length)
            if streams.values[index].state.contains(.blocked) {
                streams.values[index].state.remove(.blocked)
                events.append(.sendWindowOpened(stream: header.stream))
            }
        } else if header.flags.isEmpty {
            countIdleFrame(now, into: &events)
        }
        if header.flags.contains(.fin) {
            peerFinished(header.stream, into: &events)
        }
    }

    /// Any frame of the peer shows that it has the stream: a listener that was told FIN first never sends an ACK.
    private mutating func acknowledge(_ index: Dictionary<UInt32, YamuxStream>.Index) {
        guard !streams.values[index].state.contains(.accepted) else { return }
        streams.values[index].state.insert(.accepted)
        if !streams.values[index].state.contains(.finished) {
            streams.values[index].deadline = nil
        }
    }

    private mutating func peerFinished(_ id: UInt32, into events: inout [YamuxEvent]) {
        guard let index = streams.index(forKey: id) else { return }
        streams.values[index].state.insert(.peerFinished)
        events.append(.peerFinished(stream: id))
        if streams.values[index].state.contains(.finished) {
            remove(id)
            events.append(.streamClosed(id))
        }
    }

    /// - Returns: whether the frame that opened the stream is to be looked at further.
    private mutating func openIncoming(
        _ id: UInt32, now: MonotonicTime, into events: inout [YamuxEvent]
    ) -> Bool {
        guard id != 0, streams[id] == nil else {
            close(.streamIdInUse(id), goAway: .protocolError, into: &events)
            return false
        }
        guard !sentGoAway, incomingCount < limits.maximumIncomingStreams, waitingForAccept < limits.acceptBacklog
        else {
            answer(.windowUpdate, .rst, stream: id, length: 0, into: &events)
            countIdleFrame(now, into: &events)
            return false
        }
        streams[id] = YamuxStream(state: .incoming)
        incomingCount += 1
        waitingForAccept += 1
        events.append(.streamOpened(id))
        return true
    }

    private mutating func handlePing(_ header: YamuxHeader, now: MonotonicTime, into events: inout [YamuxEvent]) {
        if header.flags.contains(.syn) {
            answer(.ping, .ack, stream: 0, length: header.length, into: &events)
            countIdleFrame(now, into: &events)
        } else if pingDeadline != nil, header.length == pingValue &- 1 {
            pingDeadline = nil
        } else {
            countIdleFrame(now, into: &events)
        }
    }

    private mutating func handleGoAway(_ header: YamuxHeader, now: MonotonicTime, into events: inout [YamuxEvent]) {
        guard header.length == GoAwayCode.normal.rawValue else {
            return close(.endedByPeer(code: header.length), into: &events)
        }
        guard !gotGoAway else { return countIdleFrame(now, into: &events) }
        gotGoAway = true
        events.append(.peerWentAway)
    }

    /// Writes a frame that the peer provoked, unless it has let too many pile up.
    private mutating func answer(
        _ kind: YamuxHeader.Kind, _ flags: YamuxHeader.Flags, stream: UInt32, length: UInt32,
        into events: inout [YamuxEvent]
    ) {
        guard output.count < limits.maximumPendingOutput + limits.controlReserve else {
            return close(.outputOverflow, into: &events)
        }
        write(kind, flags, stream: stream, length: length)
    }

    private mutating func countIdleFrame(_ now: MonotonicTime, into events: inout [YamuxEvent]) {
        guard closure == nil else { return }
        if idleFramesSince.advanced(by: limits.idleFrameInterval) <= now {
            idleFramesSince = now
            idleFrames = 0
        }
        idleFrames += 1
        if idleFrames > limits.maximumIdleFrames {
            close(.frameFlood, goAway: .protocolError, into: &events)
        }
    }
}
