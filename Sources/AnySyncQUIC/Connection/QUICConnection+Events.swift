internal import AnySyncNet

// What the peer does.
extension QUICConnection {
    func happened(_ event: QUICEvent) {
        guard ending == nil else { return }
        switch event {
        case .streamOpened(let id):
            lastActivity = eventLoop.now()
            opened(id)
        case .data(let id, let bytes, let isLast):
            lastActivity = eventLoop.now()
            received(bytes, isLast, on: id)
        case .streamReset(let id, let code):
            guard let stream = streams[id] else { return }
            // How the reference ends a stream that it has no more use for.
            guard code == CloseCode.streamAbandoned else { return fail(stream, .streamReset) }
            stream.peerHasFinished = true
            stream.wakeReader()
            forgetIfDone(stream)
        case .writingStopped(let id):
            guard let stream = streams[id] else { return }
            stream.isWritingStopped = true
            stream.hasFinished = true
            stream.wakeWriter()
            forgetIfDone(stream)
        case .streamClosed(let id):
            guard let stream = streams[id] else { return }
            stream.peerHasFinished = true
            stream.hasFinished = true
            stream.wake()
            forgetIfDone(stream)
        case .handshakeCompleted, .idAdded, .idRemoved: break
        }
    }

    private func opened(_ id: Int64) {
        guard takesStreams else { return session.reset(id, code: CloseCode.streamReset) }
        let stream = Stream(id, of: self)
        streams[id] = stream
        _ = incoming.put(stream)
    }

    private func received(_ bytes: [UInt8], _ isLast: Bool, on id: Int64) {
        guard let stream = streams[id] else { return session.consumed(bytes.count, on: id) }
        bufferedInput += bytes.count
        if stream.input.isEmpty { stream.input = bytes } else { stream.input += bytes }
        if isLast {
            stream.peerHasFinished = true
            forgetIfDone(stream)
        }
        stream.wakeReader()
    }

    /// Forgets a stream that is over on both sides. What arrived can still be read.
    func forgetIfDone(_ stream: Stream) {
        guard stream.peerHasFinished, stream.hasFinished else { return }
        forget(stream)
    }

    private func forget(_ stream: Stream) {
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        if isOurs(stream.id) { outgoingStreams -= 1 }
    }

    /// Whether this side opened a stream: the lowest bit of its id says who did (RFC 9000 §2.1).
    private func isOurs(_ id: Int64) -> Bool { (id & 1 == 1) == isIncoming }

    /// Forgets a stream that has ended early.
    func fail(_ stream: Stream, _ failure: TransportError) {
        stream.failure = failure
        forget(stream)
        discardInput(of: stream)
        stream.wake()
    }

    /// Gives up what nobody will read, and the room it takes.
    func discardInput(of stream: Stream) {
        let count = stream.input.count
        stream.input = []
        bufferedInput -= count
        guard count > 0, ending == nil else { return }
        session.consumed(count, on: stream.id)
        link.setNeedsFlush()
    }

    nonisolated func forgetInput(_ count: Int, of id: Int64) {
        eventLoop.execute {
            self.assumeIsolated { connection in
                connection.bufferedInput -= count
                guard connection.ending == nil else { return }
                connection.session.consumed(count, on: id)
                connection.link.setNeedsFlush()
            }
        }
    }

    /// Lets writers go on that find room now.
    func wakeWriters() {
        guard !waitingWriters.isEmpty else { return }
        let writers = waitingWriters
        waitingWriters = []
        for stream in writers {
            if stream.writer == nil { continue }
            if stream.failure != nil || stream.isWritingStopped || room(for: stream) > 0 {
                stream.wakeWriter()
            } else {
                waitingWriters.append(stream)
            }
        }
    }

    /// How many bytes of a stream the connection takes in now.
    func room(for stream: Stream) -> Int {
        let output = endpoint.limits.outputHighWater - session.heldCount
        return output <= 0 ? 0 : min(output, session.room(on: stream.id))
    }
}
