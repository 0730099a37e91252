import AnySyncNet
import PushCrypto
import SecretFiles

extension ServerConfiguration {
    /// The configuration of a server that is started from the command line: file, then environment, then flags.
    ///
    /// - Parameters:
    ///   - flags: the flags of the command line.
    ///   - environment: the process's environment variables.
    ///   - workingDirectory: what relative paths are relative to.
    ///   - isClient: whether this is for a command that only looks for a server. The environment of a managed server's host
    ///     must not keep it from naming an account.
    /// - Throws: ``ConfigurationError``.
    public static func load(
        flags: ConfigurationFlags = ConfigurationFlags(), environment: [String: String], workingDirectory: String,
        isClient: Bool = false
    ) throws(ConfigurationError) -> ServerConfiguration {
        let paths = HomePath(environment: environment, workingDirectory: workingDirectory)
        let overrides = flags.overrides
        var early = ConfigurationLayers(file: nil, environment: environment, overrides: overrides)
        let dataDirectory = try paths.whole(early.value(Settings.dataDirectory), Settings.dataDirectory.key)
        let found: (path: String, text: [UInt8])?
        if let named = flags.config, !named.isEmpty {
            let path = try paths.whole(Sourced(named, .flag("--config")), "--config").value
            guard let text = try ConfigurationFile.read(path) else {
                throw ConfigurationError(.missingFile(path: path), at: .flag("--config"))
            }
            found = (path, text)
        } else {
            found = try first(
                of: ConfigurationFile.searchPaths(
                    environment: environment, dataDirectory: dataDirectory.value
                ))
        }
        let file = try found.map { found throws(ConfigurationError) in
            try ConfigurationFile.parse(found.text, path: found.path)
        }
        let layers = ConfigurationLayers(
            path: found?.path ?? "", file: file ?? nil, environment: environment, overrides: overrides
        )
        var configuration = try ServerConfiguration(layers, paths)
        configuration.path = found?.path
        if !isClient { try configuration.checkMode() }
        return configuration
    }

    /// The configuration of a server that a program embeds: what the program says, and nothing else.
    ///
    /// - Throws: ``ConfigurationError``.
    public static func embedded(_ options: EmbeddedOptions) throws(ConfigurationError) -> ServerConfiguration {
        let layers = ConfigurationLayers(file: nil, environment: [:], overrides: options.overrides)
        let configuration = try ServerConfiguration(layers, HomePath(environment: [:], workingDirectory: "/"))
        try configuration.checkMode()
        return configuration
    }

    private static func first(
        of paths: [String]
    ) throws(ConfigurationError) -> (path: String, text: [UInt8])? {
        for path in paths {
            if let text = try ConfigurationFile.read(path) { return (path, text) }
        }
        return nil
    }

    private init(_ sources: ConfigurationLayers, _ paths: HomePath) throws(ConfigurationError) {
        var layers = sources
        dataDirectory = try paths.whole(layers.value(Settings.dataDirectory), Settings.dataDirectory.key)
        mode = try layers.value(Settings.mode)
        account = try layers.value(Settings.account)
        listenAddress = try layers.value(Settings.listenAddress)
        listenTokenFile = try paths.whole(layers.value(Settings.listenTokenFile), Settings.listenTokenFile.key)
        listenOrigins = try layers.value(Settings.listenOrigins)
        walletPath = try paths.whole(layers.value(Settings.walletPath), Settings.walletPath.key)
        passkeyVariable = try layers.value(Settings.passkeyVariable)
        network = NetworkSettings(
            nodeConfPath: try paths.whole(layers.value(Settings.nodeConfPath), Settings.nodeConfPath.key),
            nodeConf: try layers.value(Settings.nodeConf)
        )
        push = PushSettings(
            enabled: try layers.value(Settings.pushEnabled), peerId: try layers.value(Settings.pushPeerId),
            addresses: try layers.value(Settings.pushAddresses),
            requiresEncryption: try layers.value(Settings.pushRequireEncrypted)
        )
        protocolVersions = try Self.protocolVersions(&layers)
        log = LogSettings(
            level: try layers.value(Settings.logLevel), isProduction: try layers.value(Settings.logIsProduction),
            format: try layers.value(Settings.logFormat),
            outputPaths: try paths.whole(layers.value(Settings.logOutputPaths), Settings.logOutputPaths.key)
        )
        try Self.readUnused(&layers)
        try layers.finish()
        warnings = layers.warnings
        warnings += network.keepOne()
        warnings += push.pair(with: network)
    }

    private static func protocolVersions(
        _ layers: inout ConfigurationLayers
    ) throws(ConfigurationError) -> ProtocolVersions {
        let own = try layers.value(Settings.protocolVersion)
        let accepted = try layers.value(Settings.protocolAccepted)
        do throws(ProtocolVersionError) {
            return try ProtocolVersions(
                own: own.value.map { UInt32($0) }, accepted: accepted.value.map { $0.map { UInt32($0) } })
        } catch {
            let isList = accepted.value != nil
            throw ConfigurationError(
                .invalidValue(
                    key: isList ? Settings.protocolAccepted.key : Settings.protocolVersion.key, problem: "\(error)"),
                at: isList ? accepted.source : own.source)
        }
    }

    private static func readUnused(_ layers: inout ConfigurationLayers) throws(ConfigurationError) {
        _ = try layers.value(Settings.webUIEnabled)
        _ = try layers.value(Settings.storageTopology)
        _ = try layers.value(Settings.dialTimeout)
        _ = try layers.value(Settings.changeBatchSize)
        _ = try layers.value(Settings.localEnabled)
        _ = try layers.value(Settings.redeemURL)
        for block in Settings.unusedBlocks { try layers.unusedBlock(block) }
    }

    // The host of a managed server states the account at every start, and nothing of its key is on the disk.
    private func checkMode() throws(ConfigurationError) {
        guard mode.value == .managed else { return }
        let problem = "it can not be set in mode managed, where the host brings the account; leave it out"
        if account.value != nil {
            throw ConfigurationError(.notApplicable(key: Settings.account.key, problem: problem), at: account.source)
        }
        if walletPath.value != nil {
            throw ConfigurationError(
                .notApplicable(key: Settings.walletPath.key, problem: problem), at: walletPath.source
            )
        }
    }
}

extension HomePath {
    fileprivate func whole(_ path: Sourced<String>, _ key: String) throws(ConfigurationError) -> Sourced<String> {
        guard let whole = whole(path.value) else { throw ConfigurationError(.noHome(key: key), at: path.source) }
        return Sourced(whole, path.source)
    }

    fileprivate func whole(_ path: Sourced<String?>, _ key: String) throws(ConfigurationError) -> Sourced<String?> {
        guard let value = path.value else { return path }
        let whole = try whole(Sourced(value, path.source), key)
        return Sourced(whole.value, whole.source)
    }

    fileprivate func whole(_ list: Sourced<[String]>, _ key: String) throws(ConfigurationError) -> Sourced<[String]> {
        var wholes: [String] = []
        for path in list.value { wholes.append(try whole(Sourced(path, list.source), key).value) }
        return Sourced(wholes, list.source)
    }
}
