// What the daemon tells, which it does on the loop's thread in the middle of a turn.
extension ServerCore: HTTPDaemonDelegate {
    nonisolated func connectionOpened(_ connection: HTTPConnection) {
        assumeIsolated { core in
            core.clients[connection.id] = Client(connection, at: core.clock.now())
            _ = core.loop.watchHangup(connection.socket, tag: connection.id)
            core.setDeadline(of: connection.id, in: core.limits.requestTime)
            // Those that were accepted in the very turn in which listening ended.
            if core.stage != .running { connection.abort() }
            core.makeRoom(besides: connection.id)
        }
    }

    nonisolated func connectionClosed(_ connection: HTTPConnection) {
        assumeIsolated { core in
            core.loop.unwatch(connection.socket)
            core.halfClosed.remove(connection.id)
            guard var client = core.clients.removeValue(forKey: connection.id) else { return }
            if client.isLeaving { core.leavingCount -= 1 }
            core.release(&client)
            core.wakeWaiters()
        }
    }

    nonisolated func requestBegan(_ connection: HTTPConnection, head: RequestHead) -> HTTPConnection.Verdict {
        assumeIsolated { core in
            guard var client = core.clients[connection.id] else { return .proceed }
            client.phase = .reading(head)
            client.record = Client.Record(id: core.ids.next(head.headers), method: head.method, start: core.clock.now())
            core.clients[connection.id] = client
            core.setDeadline(of: connection.id, in: core.limits.requestTime)
            guard let error = core.objection(to: head) else { return .proceed }
            return core.refuse(connection.id, error, head)
        }
    }

    nonisolated func bodyArrives(_ connection: HTTPConnection, count: Int) -> HTTPConnection.Verdict {
        assumeIsolated { core in
            guard var client = core.clients[connection.id], case .reading(let head) = client.phase else {
                return .proceed
            }
            client.bufferedBytes += count
            core.bufferedBytes += count
            core.clients[connection.id] = client
            if client.bufferedBytes > core.limits.bodyBytes { return core.refuse(connection.id, core.tooLarge, head) }
            if core.bufferedBytes > core.limits.bufferedBytes {
                let error = APIError(.unavailable, "the server is reading too many request bodies; try again")
                return core.refuse(connection.id, error, head)
            }
            return .proceed
        }
    }

    nonisolated func requestReceived(_ connection: HTTPConnection, body: [UInt8]) {
        assumeIsolated { $0.handle(connection, body: body) }
    }

    nonisolated func requestEnded(_ connection: HTTPConnection, isAnswered: Bool) {
        assumeIsolated { core in
            guard var client = core.clients[connection.id] else { return }
            let phase = client.phase
            core.log(client, isComplete: isAnswered)
            core.release(&client)
            if let exchange = client.exchange { core.handlers[exchange]?.cancel() }
            client.exchange = nil
            client.responseBytes = 0
            client.record = nil
            client.phase = .idle
            client.idleSince = core.clock.now()
            core.clients[connection.id] = client
            core.setDeadline(of: connection.id, in: core.limits.idleTime + core.limits.requestTime)
            if case .streaming(let stream) = phase { core.ended(stream) }
            if core.stage != .running { connection.abort() }
            core.wakeWaiters()
        }
    }

    nonisolated func streamWanted(_ connection: HTTPConnection, atMost count: Int) -> HTTPConnection.StreamOutput {
        assumeIsolated { $0.read(connection, atMost: count) }
    }

    // MARK: Refusals

    private var tooLarge: APIError {
        APIError(
            .tooLarge, "the request body is larger than \(limits.bodyBytes) bytes",
            details: ["max_bytes": .integer(Int64(limits.bodyBytes))])
    }

    /// What speaks against reading a request's body.
    private func objection(to head: RequestHead) -> APIError? {
        if stage != .running { return APIError(.unavailable, "the server is shutting down") }
        // Which of them was meant must not be a matter of opinion either (RFC 9112, 3.2).
        for name in ["Host", "Origin", ControlToken.header] where head.headers.values(name).count > 1 {
            return APIError(.bad, "the request has the header \(name) more than once")
        }
        let encodings = head.headers.values("Transfer-Encoding")
        let lengths = head.headers.values("Content-Length")
        // Where a body ends must not be a matter of opinion (RFC 9112, 6.3).
        if encodings.count + lengths.count > 1 {
            return APIError(.bad, "the request states the length of its body more than once")
        }
        if let encoding = encodings.first, encoding.lowercased() != "chunked" {
            return APIError(.bad, "the only transfer encoding served is chunked")
        }
        if let length = head.contentLength, length > limits.bodyBytes { return tooLarge }
        return nil
    }

    /// Answers a request whose body is not all there.
    func cutUpload(_ id: UInt64, _ head: RequestHead) {
        let error = APIError(
            .requestTimeout, "the request was not complete after \(limits.requestTime.components.seconds) seconds")
        guard let connection = clients[id]?.connection else { return }
        guard case .refuse(let response) = refuse(id, error, head) else { return connection.abort() }
        if !connection.refuse(response) { connection.abort() }
    }

    private func refuse(_ id: UInt64, _ error: APIError, _ head: RequestHead) -> HTTPConnection.Verdict {
        guard var client = clients[id], let record = client.record else { return .proceed }
        release(&client)
        client.phase = .refused
        client.record?.status = error.code.status
        log(client, isComplete: true)
        client.record = nil
        clients[id] = client
        setDeadline(of: id, in: limits.refusalTime)
        return .refuse(EncodedResponse(router.refusal(error, of: head, id: record.id)))
    }

    private func log(_ client: Client, isComplete: Bool) {
        guard let record = client.record else { return }
        onAccess(
            AccessRecord(
                requestId: record.id, method: record.method, route: record.route?.description,
                status: record.status?.code ?? 0, duration: clock.now() - record.start, isComplete: isComplete))
    }
}
