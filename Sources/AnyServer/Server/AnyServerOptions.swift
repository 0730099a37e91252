public import AnySyncNet

/// What a server is started with. Nothing else counts: the start reads no configuration file and no environment.
public struct AnyServerOptions: Sendable {
    /// The configuration: ``ServerConfiguration/load(flags:environment:workingDirectory:isClient:)`` for one of the
    /// command line, ``ServerConfiguration/embedded(_:)`` for a host's.
    public var configuration: ServerConfiguration
    /// What the wallet is encrypted with; `nil` when it is not, and always in mode managed.
    public var passkey: Passkey?
    /// What a managed server's host proves itself with; `nil` for a fresh one. Without effect in mode standalone.
    public var controlToken: ControlToken?
    /// Takes each line of the log, without its end and from any thread, and returns at once: the server waits for it. `nil`
    /// for standard error, which it does not wait for.
    public var onLogLine: (@Sendable (String) -> Void)?
    /// Makes the ways to reach the push node, for an account's own endpoint. TCP by default; a host that links
    /// `AnySyncQUIC` adds its `QUICTransport`.
    public var transports: @Sendable (Endpoint) throws -> [any Transport] = { [TCPTransport($0)] }
    /// Is called once, when the server begins to stop, whoever asked for it.
    public var onStopping: @Sendable () -> Void = {}
    /// What HTTP clients are granted.
    var limits = HTTPLimits()

    /// Options with a configuration; see the properties.
    public init(
        configuration: ServerConfiguration, passkey: Passkey? = nil, controlToken: ControlToken? = nil,
        onLogLine: (@Sendable (String) -> Void)? = nil
    ) {
        self.configuration = configuration
        self.passkey = passkey
        self.controlToken = controlToken
        self.onLogLine = onLogLine
    }

    /// Options of a program that embeds the server.
    ///
    /// - Throws: ``ConfigurationError``.
    public init(
        embedded: EmbeddedOptions, passkey: Passkey? = nil, controlToken: ControlToken? = nil,
        onLogLine: (@Sendable (String) -> Void)? = nil
    ) throws(ConfigurationError) {
        self.init(
            configuration: try .embedded(embedded), passkey: passkey, controlToken: controlToken, onLogLine: onLogLine)
    }
}
