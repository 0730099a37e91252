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
    private let pool: StreamPool<PooledStream>
    private var busy: [ObjectIdentifier: CallTicket] = [:]
    private var trimTimer: LoopTimer?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        connection.eventLoop.asUnownedSerialExecutor()
    }

    private nonisolated var eventLoop: EventLoop { connection.eventLoop }

    /// A client over an established connection.
    public init(connection: any Connection, limits: RPCLimits = RPCLimits()) {
        self.connection = connection
        self.limits = limits
        pool = StreamPool(places: limits.clientStreams)
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
        trimTimer?.cancel()
        for ticket in busy.values { ticket.end(.transport(Self.closedError)) }
        pool.close()
    }

    private static let closedError = TransportError.closed(.local, detail: "the client is closed")

    private func perform(_ rpc: String, _ request: [UInt8], _ ticket: CallTicket) async -> Result<[UInt8], CallError> {
        do throws(CallError) {
            let pooled = try await pool.take(for: ticket.place, closed: .transport(Self.closedError)) {
                () async throws(CallError) in try await openStream(ticket)
            }
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
                pooled.close()
                pool.streamEnded()
                throw error
            }
        } catch {
            // What the deadline or the caller did shows as a closed stream.
            return .failure(ticket.place.ended ?? error)
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

    // MARK: Streams

    private func openStream(_ ticket: CallTicket) async throws(CallError) -> PooledStream {
        let stream: any ByteStream
        do throws(TransportError) {
            stream = try await connection.openStream()
        } catch {
            throw .transport(error)
        }
        ticket.stream = stream
        // Ended while there was no stream to close.
        if let ended = ticket.place.ended {
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
        pooled.idleSince = eventLoop.now()
        pool.giveBack(pooled)
        if pool.idleCount > 1, trimTimer == nil { armTrimTimer() }
    }

    // MARK: Trimming

    /// Closes what was not used for long but the stream used last: a quiet client costs the node one stream.
    private func trim() {
        trimTimer = nil
        let limit = eventLoop.now()
        pool.closeIdle { $0.idleSince.advanced(by: limits.idleStreamTimeout) <= limit }
        if pool.idleCount > 1 { armTrimTimer() }
    }

    private func armTrimTimer() {
        guard let oldest = pool.oldestIdle else { return }
        let deadline = oldest.idleSince.advanced(by: limits.idleStreamTimeout)
        trimTimer = eventLoop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { $0.trim() }
        }
    }
}

/// One call under way. Unchecked because it is used on the loop's thread only.
private final class CallTicket: @unchecked Sendable {
    /// Its place at the pool.
    let place = StreamTicket<PooledStream>()
    /// What ends with the call.
    var stream: (any ByteStream)?

    func end(_ reason: CallError) {
        if place.end(reason) { stream?.close() }
    }
}
