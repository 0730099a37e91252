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
        served.running?.cancel()
        await served.running?.value
        release(served)
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
            case .failure:
                server.count { $0.refusedStreams += 1 }
                return nil
            case .success(let encoding):
                served.codec = DRPCServerStream(encoding: encoding, limits: server.limits.packets)
                return input
            }
        }
        server.count { $0.refusedStreams += 1 }
        return nil
    }

    private func receive(_ bytes: ArraySlice<UInt8>, on served: ServedStream) async throws(TransportError) {
        guard !bytes.isEmpty else { return }
        guard hold(bytes.count, served) else {
            server.count { $0.overloads += 1 }
            throw .streamReset
        }
        var events: [DRPCServerEvent] = []
        do throws(DRPCError) {
            try served.codec?.receive(bytes, into: &events)
        } catch {
            server.count { $0.protocolErrors += 1 }
            throw .streamReset
        }
        for event in events {
            try await handle(event, on: served)
        }
    }

    private func handle(_ event: DRPCServerEvent, on served: ServedStream) async throws(TransportError) {
        switch event {
        case .cancelled:
            served.running?.cancel()
        case .write(let bytes):
            // One writer at a time: a cancelled handler may still be about to end.
            await served.running?.value
            release(served)
            try await served.stream.write(bytes)
        case .call(let call):
            await served.running?.value
            guard !served.isDraining else { throw .closed(.shutDown, detail: "the server is shutting down") }
            served.running = Task {
                await run(call, on: served)
                served.running = nil
                release(served)
                if served.isDraining { served.stream.close() }
            }
        }
    }

    /// Runs the handler and sends its answer.
    private func run(_ call: DRPCCall, on served: ServedStream) async {
        guard await server.gate.enter() else {
            server.count { $0.cancelled += 1 }
            return
        }
        let answer = await answer(to: call)
        server.gate.leave()
        guard !Task.isCancelled, let output = encode(answer, of: call, on: served) else {
            server.count { $0.cancelled += 1 }
            return
        }
        do throws(TransportError) {
            try await served.stream.write(output)
        } catch {
            // The caller went away while it was answered.
        }
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

    // MARK: Bytes held

    /// Counts bytes against the server's limit, and against what one stream may have under way.
    private func hold(_ count: Int, _ served: ServedStream) -> Bool {
        let limits = server.limits.packets
        // A message, its name and metadata, twice over: the call that runs and the one that arrives behind it.
        let perStream = 2 * (limits.maximumMessageSize + limits.maximumMessageSize / 4 + 4 * limits.maximumOtherSize)
        guard served.heldBytes + count <= perStream, server.gate.hold(count) else { return false }
        served.heldBytes += count
        return true
    }

    /// Gives back what a stream holds, once its call is over.
    private func release(_ served: ServedStream) {
        server.gate.release(served.heldBytes)
        served.heldBytes = 0
    }
}
