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
        let stream = YamuxStream(id, of: self)
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

    func nextStream() async -> (any ByteStream)? {
        takesStreams = true
        if let stream = incoming.takeNow() { return stream }
        let taker = incoming.makeTaker()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { incoming.wait(taker, $0) }
        } onCancel: {
            eventLoop.execute { self.assumeIsolated { $0.incoming.withdraw(taker) } }
        }
    }

    func isOpen(_ stream: YamuxStream) -> Bool {
        stream.failure == nil && !stream.peerHasFinished && !stream.hasFinished
    }

    func read(from stream: YamuxStream) async throws(TransportError) -> [UInt8]? {
        while true {
            if !stream.input.isEmpty {
                let bytes = stream.input
                stream.input = []
                bufferedInput -= bytes.count
                session.consumed(bytes.count, on: stream.id)
                if session.pendingOutput > 0 { setNeedsFlush() }
                return bytes
            }
            if stream.peerHasFinished { return nil }
            if let failure = stream.failure { throw failure }
            guard !Task.isCancelled else { throw .cancelled }
            assert(stream.reader == nil, "two tasks read from one stream")
            await withTaskCancellationHandler {
                await waitToRead(stream)
            } onCancel: {
                eventLoop.execute { self.assumeIsolated { _ in stream.wakeReader() } }
            }
        }
    }

    func write(_ bytes: [UInt8], to stream: YamuxStream) async throws(TransportError) {
        var rest = bytes[...]
        while true {
            rest = rest.dropFirst(try send(rest, on: stream))
            guard !rest.isEmpty else { return }
            guard !Task.isCancelled else {
                // A part may be on its way: the stream is of no more use.
                reset(stream)
                throw .cancelled
            }
            if session.sendCapacity(of: stream.id) > 0 { blockedWriters.append(stream) }
            assert(stream.writer == nil, "two tasks write to one stream")
            await withTaskCancellationHandler {
                await waitToWrite(stream)
            } onCancel: {
                eventLoop.execute { self.assumeIsolated { _ in stream.wakeWriter() } }
            }
        }
    }

    // Methods of the actor and not closures: a closure that does not use the actor itself runs outside it.
    private func waitToRead(_ stream: YamuxStream) async {
        await withCheckedContinuation { stream.reader = $0 }
    }

    private func waitToWrite(_ stream: YamuxStream) async {
        await withCheckedContinuation { stream.writer = $0 }
    }

    private func send(_ bytes: ArraySlice<UInt8>, on stream: YamuxStream) throws(TransportError) -> Int {
        if let failure = stream.failure { throw failure }
        lastActivity = eventLoop.now()
        do throws(YamuxCommandError) {
            let count = try session.send(bytes, on: stream.id)
            setNeedsFlush()
            return count
        } catch {
            throw .streamReset
        }
    }

    func finish(_ stream: YamuxStream) {
        guard stream.failure == nil, !stream.hasFinished else { return }
        stream.hasFinished = true
        session.finish(stream.id, now: eventLoop.now())
        if !session.isOpen(stream.id) { streams[stream.id] = nil }
        setNeedsFlush()
        armTimer()
        endIfDone()
    }

    /// Finishes a stream and takes nothing more from it.
    func abandon(_ stream: YamuxStream) {
        finish(stream)
        guard streams[stream.id] === stream else { return discardInput(of: stream) }
        fail(stream.id, .streamReset)
    }

    func reset(_ stream: YamuxStream) {
        guard stream.failure == nil else { return }
        guard streams[stream.id] === stream else { return discardInput(of: stream) }
        session.reset(stream.id)
        fail(stream.id, .streamReset)
        setNeedsFlush()
        endIfDone()
    }
}
