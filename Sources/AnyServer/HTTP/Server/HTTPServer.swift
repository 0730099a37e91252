import AnySyncNet

/// The `any` server's HTTP side: serves a ``Router``'s table on one loopback address until ``stop(grace:reason:)``.
///
/// One thread runs all connections; handlers run on the global pool. A server keeps itself alive until it is stopped.
final class HTTPServer: Sendable {
    /// Where the server listens, with the port that the system picked if none was asked for.
    let address: ListenAddress
    let core: ServerCore

    /// How long requests under way may take when a server stops, unless told.
    static let defaultGrace = Duration.seconds(5)

    private init(core: ServerCore, address: ListenAddress) {
        self.core = core
        self.address = address
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - address: A loopback address; port 0 for one that the system picks.
    ///   - router: What answers.
    ///   - limits: What clients are granted.
    ///   - clock: What deadlines and keepalives go by.
    ///   - onAccess: Hears of every request that was answered or given up.
    /// - Throws: ``HTTPServerError``, with `EADDRINUSE` when the port is taken.
    static func start(
        at address: ListenAddress, router: Router, limits: HTTPLimits = HTTPLimits(),
        clock: some Clock<Duration> = ContinuousClock(), onAccess: @escaping @Sendable (AccessRecord) -> Void = { _ in }
    ) async throws(HTTPServerError) -> HTTPServer {
        try limits.validate()
        let limits = limits.fitted(toDescriptors: Descriptors.limit)
        let core = ServerCore(
            loop: try HTTPLoop(), router: router, limits: limits, clock: HTTPClock(clock),
            ids: RequestIds(serial: .random(in: 0...UInt32.max)), onAccess: onAccess)
        return HTTPServer(core: core, address: try await core.start(at: address))
    }

    /// Stops the server: refuses new requests at once, gives those under way `grace`, then tells event streams
    /// `reason`, closes every connection and waits for every handler. A second call waits for the first. A handler that
    /// wants the server to stop must not wait for it, for the stop waits for the handler.
    func stop(grace: Duration = HTTPServer.defaultGrace, reason: ClosedReason = .serverShutdown) async {
        await core.stop(grace: grace, reason: reason)
    }

    /// Ends every event stream, such as with ``ClosedReason/deauthorized``, and serves on.
    func closeStreams(_ reason: ClosedReason) async {
        await core.closeStreams(reason)
    }
}
