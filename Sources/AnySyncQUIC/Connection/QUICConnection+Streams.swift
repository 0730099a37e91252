internal import AnySyncNet

// What the owner of the connection and of its streams does.
extension QUICConnection {
    func openStream() throws(TransportError) -> any ByteStream {
        if let closedError { throw closedError }
        guard outgoingStreams < endpoint.limits.outgoingStreams, let id = session.openStream() else {
            throw .tooManyStreams
        }
        let stream = Stream(id, of: self)
        streams[id] = stream
        outgoingStreams += 1
        return stream
    }

    func consumed(_ count: Int, on stream: Stream) {
        bufferedInput -= count
        guard ending == nil else { return }
        session.consumed(count, on: stream.id)
        link.setNeedsFlush()
    }

    func send(_ bytes: ArraySlice<UInt8>, on stream: Stream) throws(TransportError) -> Int {
        guard !stream.hasFinished, !stream.isWritingStopped else { throw .streamReset }
        lastActivity = eventLoop.now()
        let part = bytes.prefix(room(for: stream))
        if !part.isEmpty {
            session.send(part, on: stream.id)
            link.setNeedsFlush()
        }
        return part.count
    }

    func waitsForRoom(_ stream: Stream) {
        waitingWriters.append(stream)
    }

    func finish(_ stream: Stream) {
        guard stream.failure == nil, !stream.hasFinished, ending == nil else { return }
        stream.hasFinished = true
        session.finish(stream.id)
        link.setNeedsFlush()
        forgetIfDone(stream)
    }

    func abandon(_ stream: Stream) {
        finish(stream)
        guard streams[stream.id] === stream else { return discardInput(of: stream) }
        session.stopReading(stream.id, code: CloseCode.streamAbandoned)
        link.setNeedsFlush()
        fail(stream, .streamReset)
    }

    func reset(_ stream: Stream) {
        guard stream.failure == nil else { return }
        guard streams[stream.id] === stream else { return discardInput(of: stream) }
        session.reset(stream.id, code: CloseCode.streamReset)
        link.setNeedsFlush()
        fail(stream, .streamReset)
    }
}
