internal import AnySyncNet

// What the owner of the connection and of its streams does.
extension QUICConnection {
    func openStream() throws(TransportError) -> any ByteStream {
        if let closedError { throw closedError }
        guard outgoingStreams < endpoint.limits.outgoingStreams, let id = session.openStream() else {
            throw .tooManyStreams
        }
        let stream = QUICStream(id, isOurs: true, of: self)
        streams[id] = stream
        outgoingStreams += 1
        return stream
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

    func isOpen(_ stream: QUICStream) -> Bool {
        stream.failure == nil && !stream.peerHasFinished && !stream.hasFinished
    }

    func read(from stream: QUICStream) async throws(TransportError) -> [UInt8]? {
        while true {
            if !stream.input.isEmpty {
                let bytes = stream.input
                stream.input = []
                if ending == nil {
                    session.consumed(bytes.count, on: stream.id)
                    link.setNeedsFlush()
                }
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

    func write(_ bytes: [UInt8], to stream: QUICStream) async throws(TransportError) {
        var rest = bytes[...]
        while true {
            if let failure = stream.failure { throw failure }
            guard !stream.hasFinished, !stream.isWritingStopped else { throw .streamReset }
            lastActivity = eventLoop.now()
            let part = rest.prefix(room(for: stream))
            if !part.isEmpty {
                session.send(part, on: stream.id)
                link.setNeedsFlush()
                rest = rest.dropFirst(part.count)
            }
            guard !rest.isEmpty else { return }
            guard !Task.isCancelled else {
                // A part may be on its way: the stream is of no more use.
                reset(stream)
                throw .cancelled
            }
            assert(stream.writer == nil, "two tasks write to one stream")
            waitingWriters.append(stream)
            await withTaskCancellationHandler {
                await waitToWrite(stream)
            } onCancel: {
                eventLoop.execute { self.assumeIsolated { _ in stream.wakeWriter() } }
            }
        }
    }

    // Methods of the actor and not closures: a closure that does not use the actor itself runs outside it.
    private func waitToRead(_ stream: QUICStream) async {
        await withCheckedContinuation { stream.reader = $0 }
    }

    private func waitToWrite(_ stream: QUICStream) async {
        await withCheckedContinuation { stream.writer = $0 }
    }

    func finish(_ stream: QUICStream) {
        guard stream.failure == nil, !stream.hasFinished, ending == nil else { return }
        stream.hasFinished = true
        session.finish(stream.id)
        link.setNeedsFlush()
        forgetIfDone(stream)
    }

    /// Finishes a stream and takes nothing more from it.
    func abandon(_ stream: QUICStream) {
        finish(stream)
        guard streams[stream.id] === stream else { return discardInput(of: stream) }
        session.stopReading(stream.id, code: CloseCode.streamAbandoned)
        link.setNeedsFlush()
        fail(stream, .streamReset)
    }

    func reset(_ stream: QUICStream) {
        guard stream.failure == nil else { return }
        guard streams[stream.id] === stream else { return discardInput(of: stream) }
        session.reset(stream.id, code: CloseCode.streamReset)
        link.setNeedsFlush()
        fail(stream, .streamReset)
    }
}
