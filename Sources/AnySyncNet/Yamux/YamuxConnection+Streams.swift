internal import AnySyncWire

// What the owner of the connection and of its streams does.
extension YamuxConnection {
    func openStream() throws(TransportError) -> any ByteStream {
        if let closedError { throw closedError }
        let id: UInt32
        do throws(YamuxCommandError) {
            id = try session.open(now: eventLoop.now())
        } catch {
            throw Self.openError(error)
        }
        let stream = Stream(id, of: self)
        streams[id] = stream
        setNeedsFlush()
        armTimer()
        return stream
    }

    private static func openError(_ error: YamuxCommandError) -> TransportError {
        switch error {
        case .tooManyStreams: .tooManyStreams
        case .goneAway: .closed(.goAway, detail: "\(error)")
        case .sessionClosed, .noSuchStream, .alreadyFinished, .streamIdsUsedUp: .closed(.local, detail: "\(error)")
        }
    }

    func consumed(_ count: Int, on stream: Stream) {
        bufferedInput -= count
        session.consumed(count, on: stream.id)
        countBuffers()
        if session.pendingOutput > 0 { setNeedsFlush() }
    }

    func send(_ bytes: ArraySlice<UInt8>, on stream: Stream) throws(TransportError) -> Int {
        lastActivity = eventLoop.now()
        do throws(YamuxCommandError) {
            let count = try session.send(bytes, on: stream.id)
            setNeedsFlush()
            return count
        } catch {
            throw .streamReset
        }
    }

    func waitsForRoom(_ stream: Stream) {
        // Otherwise the peer's window is what it waits for, and the session tells when that opens.
        if session.sendCapacity(of: stream.id) > 0 { blockedWriters.append(stream) }
    }

    func finish(_ stream: Stream) {
        guard stream.failure == nil, !stream.hasFinished else { return }
        stream.hasFinished = true
        session.finish(stream.id, now: eventLoop.now())
        if !session.isOpen(stream.id) { streams[stream.id] = nil }
        setNeedsFlush()
        armTimer()
        endIfDone()
    }

    func abandon(_ stream: Stream) {
        finish(stream)
        guard streams[stream.id] === stream else { return discardInput(of: stream) }
        fail(stream.id, .streamReset)
    }

    func reset(_ stream: Stream) {
        guard stream.failure == nil else { return }
        guard streams[stream.id] === stream else { return discardInput(of: stream) }
        session.reset(stream.id)
        fail(stream.id, .streamReset)
        setNeedsFlush()
        endIfDone()
    }
}
