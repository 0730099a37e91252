/// The flags of `any run` and `any init`. An empty text is as good as none.
public struct ConfigurationFlags: Hashable, Sendable {
    /// `--config`: the file to read, which must exist.
    public var config: String?
    /// `--data-dir`.
    public var dataDirectory: String?
    /// `--account`.
    public var account: String?
    /// `--addr`.
    public var address: String?
    /// `--wallet`.
    public var wallet: String?
    /// `--log-level`.
    public var logLevel: String?
    /// `--mode`.
    public var mode: String?

    /// No flags.
    public init() {}

    var overrides: [String: ConfigurationLayers.Override] {
        let flags = [
            (Settings.dataDirectory.key, "--data-dir", dataDirectory), (Settings.account.key, "--account", account),
            (Settings.listenAddress.key, "--addr", address), (Settings.walletPath.key, "--wallet", wallet),
            (Settings.logLevel.key, "--log-level", logLevel), (Settings.mode.key, "--mode", mode),
        ]
        var overrides: [String: ConfigurationLayers.Override] = [:]
        for (key, flag, text) in flags {
            if let text { overrides[key] = ConfigurationLayers.Override(text: text, source: .flag(flag)) }
        }
        return overrides
    }
}
