internal import AnySyncWire

// What the peer does: bytes and time go into the session, events come out.
extension YamuxConnection {
    func receive(_ bytes: ArraySlice<UInt8>) {
        guard ending == nil else { return }
        let now = eventLoop.now()
        var events = self.events
        self.events = []
        session.receive(bytes, now: now, into: &events)
        handle(events, now)
        events.removeAll(keepingCapacity: events.capacity <= Self.keptEvents)
        self.events = events
    }

    // Enough for an ordinary read; an idle connection should not keep the table of its busiest one.
    private static let keptEvents = 8

    private func handle(_ events: [YamuxEvent], _ now: MonotonicTime) {
        for event in events where ending == nil {
            handle(event, now)
        }
        countBuffers()
        guard ending == nil else { return }
        if session.pendingOutput > 0 { setNeedsFlush() }
        armTimer()
    }

    private func handle(_ event: YamuxEvent, _ now: MonotonicTime) {
        switch event {
        case .streamOpened(let id):
            lastActivity = now
            opened(id)
        case .data(let id, let bytes):
            lastActivity = now
            received(bytes, on: id)
        case .peerFinished(let id):
            guard let stream = streams[id] else { return }
            stream.peerHasFinished = true
            stream.wakeReader()
        case .streamClosed(let id):
            streams[id] = nil
            endIfDone()
        case .streamReset(let id, _):
            fail(id, .streamReset)
            endIfDone()
        case .sendWindowOpened(let id):
            streams[id]?.wakeWriter()
        case .peerWentAway:
            peerHasGoneAway = true
            endIfDone()
        case .sessionClosed(let closure):
            end(closure.closeReason, "\(closure)")
        }
    }

    private func opened(_ id: UInt32) {
        guard takesStreams else { return session.reset(id) }
        session.accept(id)
        let stream = Stream(id, of: self)
        streams[id] = stream
        _ = incoming.put(stream)
    }

    private func received(_ bytes: ArraySlice<UInt8>, on id: UInt32) {
        guard let stream = streams[id] else { return session.consumed(bytes.count, on: id) }
        bufferedInput += bytes.count
        guard bufferedInput <= endpoint.limits.bufferedInput else {
            return end(.inputOverflow, "over \(endpoint.limits.bufferedInput) bytes wait for their readers")
        }
        if stream.input.isEmpty { stream.input = Array(bytes) } else { stream.input += bytes }
        stream.wakeReader()
    }

    /// Forgets a stream that has ended early.
    func fail(_ id: UInt32, _ failure: TransportError) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        stream.failure = failure
        discardInput(of: stream)
        stream.wake()
    }

    /// Gives up what nobody will read.
    func discardInput(of stream: Stream) {
        bufferedInput -= stream.input.count
        stream.input = []
    }

    nonisolated func forgetInput(_ count: Int, of id: UInt32) {
        eventLoop.execute { self.assumeIsolated { $0.bufferedInput -= count } }
    }

    /// Closes the connection once a peer that has gone away has no stream left.
    func endIfDone() {
        guard peerHasGoneAway, session.streamCount == 0 else { return }
        end(.goAway, "the peer has gone away and its last stream has ended")
    }

    // MARK: Time

    /// Has the loop call back when something is next due.
    func armTimer() {
        guard ending == nil, let deadline = nextDeadline else { return }
        if let timer, timer.deadline <= deadline { return }
        timer?.cancel()
        timer = eventLoop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { $0.timerFired() }
        }
    }

    private var nextDeadline: MonotonicTime? {
        guard var deadline = session.nextDeadline else { return nil }
        if let look = outputWatch.deadline { deadline = min(deadline, look) }
        guard isIncoming else { return deadline }
        return min(deadline, lastActivity.advanced(by: endpoint.limits.idleTimeout))
    }

    private func timerFired() {
        timer = nil
        let now = eventLoop.now()
        if isIncoming, lastActivity.advanced(by: endpoint.limits.idleTimeout) <= now {
            return end(.idle, "nothing was asked for \(endpoint.limits.idleTimeout.inWords)")
        }
        if outputWatch.isStalled(taken: bytesTaken, now: now) {
            return end(.outputOverflow, "the peer has taken nothing for \(endpoint.limits.writeTimeout.inWords)")
        }
        var events: [YamuxEvent] = []
        session.tick(now: now, into: &events)
        handle(events, now)
    }
}

extension YamuxClosure {
    /// Under which reason a session that ended so is counted.
    var closeReason: CloseReason {
        switch self {
        case .endedByPeer: .goAway
        case .pingTimeout, .acceptTimeout, .silentPeer: .pingTimeout
        case .outputOverflow: .outputOverflow
        case .wrongVersion, .unknownFrameType, .streamIdInUse, .receiveWindowExceeded, .frameAfterFinish, .frameFlood:
            .protocolViolation
        }
    }
}

extension NetLimits {
    /// The part of the limits that yamux looks after.
    var yamux: YamuxLimits {
        var limits = YamuxLimits()
        limits.maximumIncomingStreams = incomingStreams
        limits.maximumOutgoingStreams = outgoingStreams
        limits.acceptBacklog = incomingStreams
        limits.maximumPendingOutput = outputHighWater
        limits.pingInterval = pingInterval
        limits.pingTimeout = pingTimeout
        limits.closeTimeout = halfClosedStreamTimeout
        return limits
    }
}
