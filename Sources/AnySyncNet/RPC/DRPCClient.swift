internal import AnySyncWire

/// Makes unary calls over one connection (protocol.md §7).
///
/// Streams are opened as needed, up to ``RPCLimits/clientStreams``, and reused for one call after the other; further
/// calls wait for a free one in order. A call that is cancelled or passes its deadline closes its stream and leaves the
/// others alone.
public actor DRPCClient {
    /// The connection the calls go over. It stays its owner's to close.
    public nonisolated let connection: any Connection
    private let limits: RPCLimits
    private var idle: [PooledStream] = []
    private var openStreams = 0
    private var waiting = FIFO<CallTicket>()
    private var busy: [ObjectIdentifier: CallTicket] = [:]
    private var trimTimer: LoopTimer?
    private var isClosed = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        connection.eventLoop.asUnownedSerialExecutor()
    }

    private nonisolated var eventLoop: EventLoop { connection.eventLoop }

    /// A client over an established connection.
    public init(connection: any Connection, limits: RPCLimits = RPCLimits()) {
        self.connection = connection
        self.limits = limits
    }

    deinit {
        for pooled in idle { pooled.stream.close() }
    }

    /// Makes one call.
    ///
    /// - Parameters:
    ///   - rpc: the full name, such as `/pushproto.Push/Notify`.
    ///   - request: the request message.
    ///   - timeout: time for the whole call, waiting for a stream included.
    /// - Returns: the response message, decompressed.
    /// - Throws: ``CallError``.
    public func call(_ rpc: String, _ request: [UInt8], timeout: Duration) async throws(CallError) -> [UInt8] {
        let limit = limits.packets.maximumMessageSize
        guard request.count <= limit else { throw .requestTooLarge(limit: limit, found: request.count) }
        let ticket = CallTicket()
        busy[ObjectIdentifier(ticket)] = ticket
        let timer = eventLoop.schedule(after: timeout) { ticket.end(.deadlineExceeded) }
        defer {
            timer.cancel()
            busy[ObjectIdentifier(ticket)] = nil
        }
        let result = await withTaskCancellationHandler {
            await perform(rpc, request, ticket)
        } onCancel: {
            eventLoop.execute { ticket.end(.cancelled) }
        }
        return try result.get()
    }

    /// Closes the streams and fails the calls in flight with ``TransportError/closed(_:detail:)``.
    public func close() {
        isClosed = true
        trimTimer?.cancel()
        for ticket in busy.values { ticket.end(.transport(Self.closedError)) }
        for pooled in idle { pooled.stream.close() }
        openStreams -= idle.count
        idle = []
    }

    private static let closedError = TransportError.closed(.local, detail: "the client is closed")

    private func perform(_ rpc: String, _ request: [UInt8], _ ticket: CallTicket) async -> Result<[UInt8], CallError> {
        do throws(CallError) {
            let pooled = try await takeStream(ticket)
            do throws(CallError) {
                ticket.stream = pooled.stream
                let outcome = try await exchange(rpc, request, on: pooled)
                ticket.stream = nil
                giveBack(pooled)
                switch outcome {
                case .message(let response): return .success(response)
                case .failure(let error): return .failure(.rpc(error))
                }
            } catch {
                pooled.stream.close()
                streamEnded()
                throw error
            }
        } catch {
            // What the deadline or the caller did shows as a closed stream.
            return .failure(ticket.ended ?? error)
        }
    }

    private func exchange(
        _ rpc: String, _ request: [UInt8], on pooled: PooledStream
    ) async throws(CallError) -> DRPCOutcome {
        let output: [UInt8]
        do throws(DRPCStartError) {
            output = try pooled.codec.start(rpc, request: request)
        } catch {
            throw .transport(.streamReset)
        }
        try await pooled.write(output)
        while true {
            let bytes = try await pooled.read()
            do throws(DRPCError) {
                if let outcome = try pooled.codec.receive(bytes[...]) { return outcome }
            } catch {
                throw .malformed(error)
            }
        }
    }

    // MARK: The pool

    private func takeStream(_ ticket: CallTicket) async throws(CallError) -> PooledStream {
        // Whether the connection had no room for a further stream of ours when this call asked.
        var isFull = false
        while true {
            if let ended = ticket.ended { throw ended }
            guard !isClosed else { throw .transport(Self.closedError) }
            if let pooled = idle.popLast() {
                guard await pooled.stream.isOpen else {
                    pooled.stream.close()
                    streamEnded()
                    continue
                }
                // The call, or the client, may have ended while the stream was asked.
                guard ticket.ended == nil, !isClosed else {
                    giveBack(pooled)
                    continue
                }
                return pooled
            }
            if openStreams < limits.clientStreams, !isFull || openStreams == 0 {
                openStreams += 1
                do throws(CallError) {
                    return try await openStream(ticket)
                } catch .transport(.tooManyStreams) where openStreams > 1 {
                    // Others use the connection too: go round for one of ours, which may have become free meanwhile.
                    openStreams -= 1
                    isFull = true
                    continue
                } catch {
                    streamEnded()
                    throw error
                }
            }
            let handed = await withCheckedContinuation { continuation in
                ticket.waiter = continuation
                waiting.append(ticket)
            }
            isFull = false
            if let handed {
                guard let ended = ticket.ended else { return handed }
                giveBack(handed)
                throw ended
            }
        }
    }

    private func openStream(_ ticket: CallTicket) async throws(CallError) -> PooledStream {
        let stream: any ByteStream
        do throws(TransportError) {
            stream = try await connection.openStream()
        } catch {
            throw .transport(error)
        }
        ticket.stream = stream
        // Ended while there was no stream to close.
        if let ended = ticket.ended {
            stream.close()
            throw ended
        }
        do throws(CallError) {
            return try await PooledStream.open(on: stream, limits.packets)
        } catch {
            stream.close()
            throw error
        }
    }

    private func giveBack(_ pooled: PooledStream) {
        guard !isClosed else {
            pooled.stream.close()
            return streamEnded()
        }
        if wakeNext(with: pooled) { return }
        pooled.idleSince = eventLoop.now()
        idle.append(pooled)
        if idle.count > 1, trimTimer == nil { armTrimTimer() }
    }

    private func streamEnded() {
        openStreams -= 1
        _ = wakeNext(with: nil)
    }

    /// Lets the call that waits longest go on, with a stream or to open one.
    ///
    /// - Returns: whether one waited.
    private func wakeNext(with pooled: PooledStream?) -> Bool {
        while let ticket = waiting.popFirst() {
            if ticket.wake(with: pooled) { return true }
        }
        return false
    }

    // MARK: Trimming

    /// Closes what was not used for long but the stream used last: a quiet client costs the node one stream.
    private func trim() {
        trimTimer = nil
        let limit = eventLoop.now()
        // The stream used last is the last in the list.
        while idle.count > 1, idle[0].idleSince.advanced(by: limits.idleStreamTimeout) <= limit {
            idle.removeFirst().stream.close()
            openStreams -= 1
        }
        if idle.count > 1 { armTrimTimer() }
    }

    private func armTrimTimer() {
        let deadline = idle[0].idleSince.advanced(by: limits.idleStreamTimeout)
        trimTimer = eventLoop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { $0.trim() }
        }
    }
}

/// One call under way. Unchecked because it is used on the loop's thread only.
private final class CallTicket: @unchecked Sendable {
    /// What ends with the call.
    var stream: (any ByteStream)?
    var waiter: CheckedContinuation<PooledStream?, Never>?
    /// Why the call was ended from outside.
    private(set) var ended: CallError?

    func end(_ reason: CallError) {
        guard ended == nil else { return }
        ended = reason
        stream?.close()
        _ = wake(with: nil)
    }

    /// Lets a waiting call go on.
    ///
    /// - Returns: whether it waited.
    func wake(with pooled: PooledStream?) -> Bool {
        guard let waiter else { return false }
        self.waiter = nil
        waiter.resume(returning: pooled)
        return true
    }
}
