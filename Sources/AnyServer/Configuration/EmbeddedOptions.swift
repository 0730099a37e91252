/// What a program says that embeds the server. Files and environment do not count then.
public struct EmbeddedOptions: Hashable, Sendable {
    /// The directory that accounts are in (`DataDir`).
    public var dataDirectory: String
    /// Where to listen (`ListenAddr`).
    public var listenAddress = "127.0.0.1:0"
    /// The file with the token that clients must show; empty for none.
    public var listenTokenFile = ""
    /// The origins whose pages may use the server, separated by commas.
    public var listenOrigins = ""
    /// The node configuration, YAML; empty for the production network (`NodeconfYAML`).
    public var nodeConf = ""
    /// The push node's peer id (`PushPeerId`).
    public var pushPeerId = ""
    /// The push node's addresses, separated by commas (`PushAddrs`).
    public var pushAddresses = ""
    /// Whether a connection to the push node that is not encrypted is never made.
    public var pushRequireEncrypted = false
    /// Who owns the server (`Mode`).
    public var mode = ""

    /// Options with nothing but the data directory.
    public init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }

    var overrides: [String: ConfigurationLayers.Override] {
        let options = [
            (Settings.dataDirectory.key, "DataDir", dataDirectory),
            (Settings.listenAddress.key, "ListenAddr", listenAddress),
            (Settings.listenTokenFile.key, "ListenTokenFile", listenTokenFile),
            (Settings.listenOrigins.key, "ListenOrigins", listenOrigins),
            (Settings.nodeConf.key, "NodeconfYAML", nodeConf),
            (Settings.pushPeerId.key, "PushPeerId", pushPeerId),
            (Settings.pushAddresses.key, "PushAddrs", pushAddresses), (Settings.mode.key, "Mode", mode),
            (Settings.pushRequireEncrypted.key, "PushRequireEncrypted", pushRequireEncrypted ? "true" : ""),
        ]
        var overrides: [String: ConfigurationLayers.Override] = [:]
        for (key, option, text) in options {
            overrides[key] = ConfigurationLayers.Override(text: text, source: .host(option: option))
        }
        return overrides
    }
}
