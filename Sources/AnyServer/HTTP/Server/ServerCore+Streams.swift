extension ServerCore {
    /// Answers with a stream's events.
    func open(_ stream: EventStream, for id: UInt64, _ response: EncodedResponse) {
        guard var client = clients[id] else { return stream.end() }
        guard streamCount < limits.streams, stage == .running else {
            stream.end()
            let reason = stage == .running ? "the server has too many event streams" : "the server is shutting down"
            return answer(id, EncodedResponse(APIError(.unavailable, reason).response))
        }
        guard !halfClosed.contains(id) else {
            stream.end()
            return abandon(id)
        }
        streamCount += 1
        client.phase = .streaming(stream)
        client.record?.status = response.status
        clients[id] = client
        setDeadline(of: id, in: limits.responseTime)
        stream.attach { [loop] in loop.signal(id) }
        // If it fails, the connection's end is what ends the stream.
        _ = client.connection.respond(response)
        startKeepalives()
    }

    /// What a stream has for a client that is ready for more.
    func read(_ connection: HTTPConnection, atMost count: Int) -> HTTPConnection.StreamOutput {
        guard case .streaming(let stream) = clients[connection.id]?.phase else { return .end }
        switch stream.read(atMost: count) {
        case .bytes(let bytes):
            // A client that has all of the last piece has time for the next.
            setDeadline(of: connection.id, in: limits.responseTime)
            return .bytes(bytes)
        case .nothing:
            clients[connection.id]?.deadline = nil
            return .nothing
        case .end: return .end
        }
    }

    /// A stream's client has gone, or has everything.
    func ended(_ stream: EventStream) {
        streamCount -= 1
        stream.end()
    }

    /// Ends every stream with a reason for its subscriber.
    func closeStreams(_ reason: ClosedReason) {
        for client in clients.values {
            if case .streaming(let stream) = client.phase { stream.close(reason) }
        }
    }

    /// One task for all streams; it ends when there are none.
    private func startKeepalives() {
        guard keepalives == nil else { return }
        keepalives = Task { [clock, limits] in
            while streamCount > 0, (try? await clock.sleep(clock.now() + limits.keepaliveInterval)) != nil {
                for client in clients.values {
                    if case .streaming(let stream) = client.phase { stream.keepalive() }
                }
            }
            keepalives = nil
        }
    }
}
