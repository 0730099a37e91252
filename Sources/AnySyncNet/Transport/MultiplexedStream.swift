/// One stream of a ``MultiplexedConnection``.
///
/// Unchecked because its state is mutable: every variable is touched only inside methods isolated to `connection`, to
/// which the public calls forward.
package final class MultiplexedStream<Owner: MultiplexedConnection>: ByteStream, @unchecked Sendable {
    package let connection: Owner
    package let id: Owner.StreamId

    /// What arrived and was not read yet.
    package var input: [UInt8] = []
    package var peerHasFinished = false
    package var hasFinished = false
    /// The peer takes no more.
    package var isWritingStopped = false
    /// Why nothing can be done with the stream any more.
    package var failure: TransportError?
    var reader: CheckedContinuation<Void, Never>?
    package var writer: CheckedContinuation<Void, Never>?

    package init(_ id: Owner.StreamId, of connection: Owner) {
        self.id = id
        self.connection = connection
    }

    deinit {
        guard !input.isEmpty else { return }
        connection.forgetInput(input.count, of: id)
    }

    package func read() async throws(TransportError) -> [UInt8]? {
        try await connection.read(from: self)
    }

    package func write(_ bytes: [UInt8]) async throws(TransportError) {
        try await connection.write(bytes, to: self)
    }

    package func closeWrite() async {
        await connection.finish(self)
    }

    package func reset() async {
        await connection.reset(self)
    }

    package func close() {
        connection.eventLoop.execute { self.connection.assumeIsolated { $0.abandon(self) } }
    }

    package var isOpen: Bool {
        get async { await connection.isOpen(self) }
    }

    /// Lets whoever waits look again.
    package func wake() {
        wakeReader()
        wakeWriter()
    }

    package func wakeReader() {
        guard let waiting = reader else { return }
        reader = nil
        waiting.resume()
    }

    package func wakeWriter() {
        guard let waiting = writer else { return }
        writer = nil
        waiting.resume()
    }
}
