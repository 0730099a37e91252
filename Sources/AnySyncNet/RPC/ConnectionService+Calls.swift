internal import AnySyncWire

// One stream, from its handshake to its end.
extension ConnectionService {
    /// Serves a stream until it ends, and its handler with it.
    func serve(_ served: ServedStream) async {
        do throws(TransportError) {
            if let input = try await open(served) {
                try await receive(input, on: served)
                while let bytes = try await served.stream.read() {
                    try await receive(bytes[...], on: served)
                }
            }
        } catch {
            // The stream or its connection has ended: nobody is left to tell.
        }
        if served.codec == nil { server.count { $0.refusedStreams += 1 } }
        served.arrival?.cancel()
        served.running?.cancel()
        await served.running?.value
        releaseAll(served)
        served.stream.close()
    }

    /// Runs the handshake that opens a stream (protocol.md §6).
    ///
    /// - Returns: what arrived behind it; `nil` when the stream was refused.
    private func open(_ served: ServedStream) async throws(TransportError) -> ArraySlice<UInt8>? {
        let stream = served.stream
        let timer = connection.eventLoop.schedule(after: server.limits.streamHandshakeTimeout) { stream.close() }
        defer { timer.cancel() }
        var responder = ProtoResponder()
        while let bytes = try await stream.read() {
            var input = bytes[...]
            let step = responder.receive(&input)
            if !step.output.isEmpty { try await stream.write(step.output) }
            switch step.result {
            case nil: continue
            case .failure: return nil
            case .success(let encoding):
                served.codec = DRPCServerStream(encoding: encoding, limits: server.limits.packets)
                return input
            }
        }
        return nil
    }

    private func receive(_ bytes: ArraySlice<UInt8>, on served: ServedStream) async throws(TransportError) {
        guard !bytes.isEmpty else { return }
        try hold(bytes.count, served)
        served.arrivingBytes += bytes.count
        var events: [DRPCServerEvent] = []
        do throws(DRPCError) {
            try served.codec?.receive(bytes, into: &events)
        } catch {
            server.count { $0.protocolErrors += 1 }
            throw .streamReset
        }
        try settle(events, served)
        watchArrival(of: served, hasEvents: !events.isEmpty)
        for event in events {
            try await handle(event, on: served)
        }
    }

    /// What has arrived is a part of a message now, or requests, which may have been compressed.
    private func settle(_ events: [DRPCServerEvent], _ served: ServedStream) throws(TransportError) {
        let requests = events.reduce(0) { if case .call(let call) = $1 { $0 + call.request.count } else { $0 } }
        let arriving = served.codec?.pendingByteCount ?? 0
        let grown = requests + arriving - served.arrivingBytes
        if grown > 0 { try hold(grown, served) } else { holding?.give(-grown) }
        served.arrivingBytes = arriving
        served.callBytes += requests
    }

    /// A message may take so long from its first byte to its last, whatever trickles in between.
    private func watchArrival(of served: ServedStream, hasEvents: Bool) {
        guard let codec = served.codec, codec.isIncomplete else {
            served.arrival?.cancel()
            served.arrival = nil
            return
        }
        // What is incomplete now began after what was completed.
        if hasEvents {
            served.arrival?.cancel()
            served.arrival = nil
        }
        guard served.arrival == nil else { return }
        served.arrival = connection.eventLoop.schedule(after: server.limits.messageTime) {
            [server, stream = served.stream] in
            server.count { $0.lateMessages += 1 }
            stream.close()
        }
    }

    private func handle(_ event: DRPCServerEvent, on served: ServedStream) async throws(TransportError) {
        switch event {
        case .cancelled:
            served.running?.cancel()
        case .write(let bytes):
            // One writer at a time: a cancelled handler may still be about to end.
            await served.running?.value
            await send(bytes, on: served)
        case .call(let call):
            await served.running?.value
            guard !served.isDraining else { throw .closed(.shutDown, detail: "the server is shutting down") }
            served.running = Task {
                await run(call, on: served)
                served.running = nil
                if served.isDraining { served.stream.close() }
            }
        }
    }

    /// Runs the handler and sends its answer.
    private func run(_ call: DRPCCall, on served: ServedStream) async {
        let output = await output(for: call, on: served)
        release(call.request.count, served)
        guard let output else { return server.count { $0.cancelled += 1 } }
        do throws(TransportError) {
            try hold(output.count, served)
        } catch {
            return served.stream.close()
        }
        served.callBytes += output.count
        await send(output, on: served)
        release(output.count, served)
    }

    /// Runs the handler once there is a place for it.
    ///
    /// - Returns: the packets of its answer; `nil` when the call was given up.
    private func output(for call: DRPCCall, on served: ServedStream) async -> [UInt8]? {
        guard await server.gate.enter(party) else { return nil }
        let answer = await answer(to: call)
        server.gate.leave(party)
        return Task.isCancelled ? nil : encode(answer, of: call, on: served)
    }

    private func answer(to call: DRPCCall) async -> Result<[UInt8], any Error> {
        do {
            return .success(try await server.handler.handle(call.rpc, request: call.request, caller: caller))
        } catch {
            return .failure(error)
        }
    }

    /// The packets that carry an answer; `nil` when the call was given up.
    private func encode(_ answer: Result<[UInt8], any Error>, of call: DRPCCall, on served: ServedStream) -> [UInt8]? {
        let output: [UInt8]?
        switch answer {
        case .success(let response):
            output = served.codec?.reply(to: call.id, with: response)
            if output?.isEmpty == false { server.count { $0.succeeded += 1 } }
        case .failure(let error as RPCError):
            output = served.codec?.fail(call.id, with: error)
            if output?.isEmpty == false { server.count { $0.failed[error.code, default: 0] += 1 } }
        case .failure:
            // What went wrong inside is for our log, not for the peer.
            output = served.codec?.fail(call.id, with: RPCError(code: 0, text: "internal error"))
            if output?.isEmpty == false { server.count { $0.unexpected += 1 } }
        }
        return output?.isEmpty == false ? output : nil
    }

    // MARK: Sending

    /// Sends an answer, within the time that a caller may take for it. A caller that leaves several untaken loses its
    /// connection.
    private func send(_ bytes: [UInt8], on served: ServedStream) async {
        let loop = connection.eventLoop
        let limits = server.limits
        let end = loop.now().advanced(by: limits.answerTime)
        let isLate = LateAnswer()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(RPCLimits.answerPiece)
            rest = rest.dropFirst(piece.count)
            let timer = loop.schedule(at: min(end, loop.now().advanced(by: limits.answerStall))) {
                [stream = served.stream] in
                isLate.value = true
                stream.close()
            }
            defer { timer.cancel() }
            do throws(TransportError) {
                try await served.stream.write(piece.count == bytes.count ? bytes : Array(piece))
            } catch {
                // The caller went away while it was answered, or did not take the answer.
                break
            }
        }
        guard isLate.value else { return }
        server.count { $0.untakenAnswers += 1 }
        untakenAnswers += 1
        if untakenAnswers >= limits.untakenAnswers { await connection.close(.outputOverflow) }
    }

    // MARK: Bytes held

    /// Counts bytes against the caller's share, and against what one stream may have under way.
    private func hold(_ count: Int, _ served: ServedStream) throws(TransportError) {
        let limits = server.limits.packets
        // A message, its name and metadata, twice over: the call that runs and the one that arrives behind it.
        let perStream = 2 * (limits.maximumMessageSize + limits.maximumMessageSize / 4 + 4 * limits.maximumOtherSize)
        guard served.arrivingBytes + served.callBytes + count <= perStream, holding?.take(count) ?? true else {
            server.count { $0.overloads += 1 }
            throw .streamReset
        }
    }

    /// Gives back what a call held.
    private func release(_ count: Int, _ served: ServedStream) {
        // Less when its stream has ended meanwhile.
        let count = min(count, served.callBytes)
        served.callBytes -= count
        holding?.give(count)
    }

    /// Gives back what a stream holds.
    private func releaseAll(_ served: ServedStream) {
        holding?.give(served.arrivingBytes + served.callBytes)
        served.arrivingBytes = 0
        served.callBytes = 0
    }
}

/// Whether a timer came before an answer was taken. Unchecked because it is used on the loop's thread only.
private final class LateAnswer: @unchecked Sendable {
    var value = false
}
