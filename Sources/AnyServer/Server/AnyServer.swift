import Locks

/// The `any` server: one account's spaces, chats, settings and push behind an HTTP API on this machine's loopback
/// interface (any-api.md).
///
/// ```swift
/// let options = try AnyServerOptions(embedded: EmbeddedOptions(dataDirectory: "/var/lib/my-app/any"))
/// let server = try await AnyServer.start(options)
/// // … talk to http://\(server.address)/v1 …
/// await server.stop()
/// ```
///
/// A server runs until ``stop(graceful:)`` or, in mode managed, until its host asks for the end over HTTP; letting go
/// of the value does not stop it. Several run beside each other in one process as long as each has an account's
/// directory of its own. Memory is not capped: what clients can hold is bounded by the HTTP server's limits.
public final class AnyServer: Sendable {
    /// The version of this software, stated here and nowhere else.
    public static let version = "0.1.0"

    /// Where the server listens, `host:port`, with the port that the system picked if none was asked for.
    public let address: String
    /// The token with which the host of a managed server proves itself; `nil` in mode standalone.
    public let controlToken: ControlToken?
    /// The account that ran when the server started; `nil` when there was none yet, or several and none was named, and in
    /// mode managed: it comes over HTTP then.
    public let accountId: String?

    private let lifecycle: ServerLifecycle
    private let log: ServerLog

    init(
        _ lifecycle: ServerLifecycle, _ log: ServerLog, address: String, controlToken: ControlToken?, accountId: String?
    ) {
        self.lifecycle = lifecycle
        self.log = log
        self.address = address
        self.controlToken = controlToken
        self.accountId = accountId
    }

    /// Starts a server.
    ///
    /// In mode standalone it takes the account's wallet in the data directory and serves it. Without an account, with
    /// several of which none is named, and in mode managed it waits for one (`POST /v1/auth`).
    ///
    /// - Parameter options: See ``AnyServerOptions``.
    /// - Returns: The server, which answers requests already.
    /// - Throws: ``AnyServerError``; nothing runs and nothing is locked then.
    public static func start(_ options: AnyServerOptions) async throws(AnyServerError) -> AnyServer {
        try await ServerBoot(options).start()
    }

    /// Stops the server: refuses new requests, lets those under way end and push notifications leave, tells event
    /// streams `server_shutdown`, and gives the account's directory free. Returns when nothing of the server is left;
    /// a second call waits for the first.
    ///
    /// - Parameter graceful: Whether to give requests and notifications a few seconds; what was acknowledged is on the
    ///   disk in any case.
    public func stop(graceful: Bool = true) async {
        await lifecycle.stop(graceful: graceful)
    }

    /// Goes on with the files that have the names of the log's now, as after a rotation, and notes so in the log. The
    /// configuration stays as it was at the start. Returns at once.
    public func reopenLog() {
        log.reopen()
        log.info("log files opened again; the configuration stays as it was at the start")
    }

    /// Returns when the server has stopped, for whatever reason.
    public func waitUntilStopped() async {
        await lifecycle.waitUntilStopped()
    }
}
