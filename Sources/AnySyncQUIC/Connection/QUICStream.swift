internal import AnySyncNet

/// One stream of a ``QUICConnection``.
///
/// Unchecked because its state is mutable: every variable is touched only inside methods isolated to `connection`, to
/// which the public calls forward.
final class QUICStream: ByteStream, @unchecked Sendable {
    let connection: QUICConnection
    let id: Int64
    /// Whether this side opened it.
    let isOurs: Bool

    /// What arrived and was not read yet.
    var input: [UInt8] = []
    var peerHasFinished = false
    var hasFinished = false
    /// The peer takes no more.
    var isWritingStopped = false
    /// Why nothing can be done with the stream any more.
    var failure: TransportError?
    var reader: CheckedContinuation<Void, Never>?
    var writer: CheckedContinuation<Void, Never>?

    init(_ id: Int64, isOurs: Bool, of connection: QUICConnection) {
        self.id = id
        self.isOurs = isOurs
        self.connection = connection
    }

    deinit {
        guard !input.isEmpty else { return }
        connection.forgetInput(input.count, of: id)
    }

    func read() async throws(TransportError) -> [UInt8]? {
        try await connection.read(from: self)
    }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        try await connection.write(bytes, to: self)
    }

    func closeWrite() async {
        await connection.finish(self)
    }

    func reset() async {
        await connection.reset(self)
    }

    func close() {
        connection.eventLoop.execute { self.connection.assumeIsolated { $0.abandon(self) } }
    }

    var isOpen: Bool {
        get async { await connection.isOpen(self) }
    }

    /// Lets whoever waits look again.
    func wake() {
        wakeReader()
        wakeWriter()
    }

    func wakeReader() {
        guard let waiting = reader else { return }
        reader = nil
        waiting.resume()
    }

    func wakeWriter() {
        guard let waiting = writer else { return }
        writer = nil
        waiting.resume()
    }
}
