import AnySyncNet
import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

/// Loads configurations with a home of their own.
struct ConfigurationLab {
    static let peerId = "12D3KooWCywWYgfDZmamJxvWKAvMT5AYDdRG8MMhCpYLHjW8aX7K"
    static let accountId = "A7YjXkE2tNFwjCBFmSABF3WnzKdA9dDyhHtF2pWqiqMRZ8Wy"

    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Where ``load(_:flags:environment:)`` puts the file.
    var path: String { folder.path("c.yaml") }

    func load(
        _ file: String? = nil, flags: ConfigurationFlags = ConfigurationFlags(), environment: [String: String] = [:]
    ) throws -> ServerConfiguration {
        var flags = flags
        if let file { flags.config = try folder.write(file, to: "c.yaml") }
        return try ServerConfiguration.load(
            flags: flags, environment: environment.merging(["HOME": folder.path]) { $1 }, workingDirectory: "/work"
        )
    }

    /// The error of a file, with its place relative to it.
    func error(_ file: String) -> String? {
        let error = #expect(throws: ConfigurationError.self) { try load(file) }
        return error.map { "\($0)".replacing(path + ":", with: "") }
    }
}

@Suite struct ConfigurationTests {
    private let lab: ConfigurationLab
    private var folder: TemporaryDirectory { lab.folder }

    init() throws {
        lab = try ConfigurationLab()
    }

    @Test func protocolVersionsAreConfiguration() throws {
        let lab = try ConfigurationLab()
        #expect(try lab.load("").protocolVersions == .standard)
        let set = try lab.load("protocol: {version: 15, accepted: [13, 14, 15]}\n").protocolVersions
        #expect(set.own == 15 && set.accepted == [13, 14, 15])
        let variables = try lab.load(
            "", environment: ["ANY_PROTOCOL_VERSION": "15", "ANY_PROTOCOL_ACCEPTED": "14,15"]
        ).protocolVersions
        #expect(variables.own == 15 && variables.accepted == [14, 15])
    }

    @Test func withoutAnythingTheDefaultsHold() throws {
        let configuration = try lab.load()
        #expect(configuration.dataDirectory == Sourced(folder.path(".any")))
        #expect(configuration.mode == Sourced(.standalone))
        #expect(configuration.account == Sourced(nil))
        #expect(configuration.listenAddress.value.description == "127.0.0.1:7001")
        #expect(configuration.walletPath == Sourced(nil))
        #expect(configuration.passkeyVariable == Sourced("ANY_WALLET_PASSKEY"))
        #expect(configuration.network.isUnset)
        #expect(configuration.log.level == Sourced(.info))
        #expect(configuration.log.format == Sourced(.colorized))
        #expect(configuration.log.isProduction == Sourced(false))
        #expect(configuration.log.outputPaths == Sourced([]))
        #expect(configuration.warnings == [])
        #expect(configuration.path == nil)
    }

    @Test func everyKeyOfTheContractIsRead() throws {
        let configuration = try lab.load(
            """
            dataDir: ~/data
            mode: standalone
            account: \(ConfigurationLab.accountId)
            listen:
              addr: "[::1]:8001"
            webUI:
              enabled: true
            auth:
              walletPath: keys/wallet.key
              passkeyEnv: MY_KEY
            network:
              nodeconfPath: /etc/any/nodeconf.yaml
            storage:
              topology: per-space
            sync:
              dialTimeout: 1m30s
              changeBatchSize: 50
            p2p:
              enabled: false
            index:
              enabled: false
              vector: {dim: 0}
            files:
              gcInterval: 1h
            local:
              enabled: true
            push:
              enabled: true
              peerId: \(ConfigurationLab.peerId)
              addrs: ["yamux://push.example.org:443", quic://push.example.org:5430]
            access:
              redeemUrl: https://invite.example.org
            log:
              defaultLevel: debug
              production: true
              format: json
              addOutputPaths: [~/server.log, logs/x]
            """)
        func file(_ line: Int, _ column: Int) -> ConfigurationSource {
            .file(path: lab.path, line: line, column: column)
        }
        #expect(configuration.dataDirectory == Sourced(folder.path("data"), file(1, 10)))
        #expect(configuration.mode == Sourced(.standalone, file(2, 7)))
        #expect(configuration.account == Sourced<String?>(ConfigurationLab.accountId, file(3, 10)))
        #expect(configuration.listenAddress.value.description == "[::1]:8001")
        #expect(configuration.walletPath == Sourced<String?>("/work/keys/wallet.key", file(9, 15)))
        #expect(configuration.passkeyVariable == Sourced("MY_KEY", file(10, 15)))
        #expect(configuration.network.nodeConfPath == Sourced<String?>("/etc/any/nodeconf.yaml", file(12, 17)))
        #expect(configuration.push.enabled == Sourced<Bool?>(true, file(28, 12)))
        #expect(configuration.push.peerId == Sourced<PeerId?>(try PeerId(ConfigurationLab.peerId), file(29, 11)))
        #expect(
            configuration.push.addresses
                == Sourced(
                    [try Address("yamux://push.example.org:443"), try Address("quic://push.example.org:5430")],
                    file(30, 10)
                )
        )
        #expect(configuration.log.level == Sourced(.debug, file(34, 17)))
        #expect(configuration.log.isProduction == Sourced(true, file(35, 15)))
        #expect(configuration.log.format == Sourced(.json, file(36, 11)))
        #expect(configuration.log.outputPaths == Sourced([folder.path("server.log"), "/work/logs/x"], file(37, 19)))
        #expect(configuration.path == lab.path)
        let unused = configuration.warnings.compactMap { warning -> String? in
            guard case .unusedKey(let key, _) = warning else { return nil }
            return key
        }
        #expect(unused.count == configuration.warnings.count)
        #expect(
            Set(unused) == [
                "webUI.enabled", "storage.topology", "sync.dialTimeout", "sync.changeBatchSize", "local.enabled",
                "access.redeemUrl", "p2p", "index", "files",
            ]
        )
    }

    @Test func emptyValuesAreNotSet() throws {
        let configuration = try lab.load(
            """
            account: ""
            auth: {walletPath: "", passkeyEnv: ~}
            network:
            push:
              enabled: null
              peerId: ""
              addrs: []
            p2p:
            log:
            """, environment: ["ANY_MODE": "", "ANY_PUSH_ADDRS": "", "ANY_ACCOUNT": ""])
        #expect(configuration.account == Sourced(nil))
        #expect(configuration.passkeyVariable == Sourced("ANY_WALLET_PASSKEY"))
        #expect(configuration.push.node != nil)
        #expect(configuration.warnings == [])
    }

    @Test func anEmptyFileIsAFileWithNothingSet() throws {
        for text in ["", "# nothing\n", "---\n", "~"] {
            let configuration = try lab.load(text)
            #expect(configuration.path == lab.path)
            #expect(configuration.mode == Sourced(.standalone))
        }
    }

    @Test func theEnvironmentCountsMoreThanTheFile() throws {
        let configuration = try lab.load(
            """
            dataDir: /file
            mode: managed
            listen: {addr: "127.0.0.1:1"}
            network: {nodeconfPath: /file/conf}
            push: {enabled: true, peerId: \(ConfigurationLab.peerId), addrs: ["a:1"]}
            log: {defaultLevel: debug}
            """,
            environment: [
                "ANY_DATA_DIR": "/env", "ANY_MODE": "standalone", "ANY_LISTEN_ADDR": "127.0.0.1:2",
                "ANY_ACCOUNT": ConfigurationLab.accountId, "ANY_WALLET_PATH": "/env/w", "ANY_LOG_LEVEL": "warn",
                "ANY_NETWORK_NODECONF_PATH": "/env/conf", "ANY_PUSH_ENABLED": "0",
                "ANY_PUSH_PEER_ID": PushSettings.Production.peerId, "ANY_PUSH_ADDRS": " b:1 ,, yamux://c:2,",
            ]
        )
        func variable(_ name: String) -> ConfigurationSource { .environment(variable: name) }
        #expect(configuration.dataDirectory == Sourced("/env", variable("ANY_DATA_DIR")))
        #expect(configuration.mode == Sourced(.standalone, variable("ANY_MODE")))
        #expect(configuration.listenAddress.value.port == 2)
        #expect(configuration.account == Sourced<String?>(ConfigurationLab.accountId, variable("ANY_ACCOUNT")))
        #expect(configuration.walletPath == Sourced<String?>("/env/w", variable("ANY_WALLET_PATH")))
        #expect(configuration.log.level == Sourced(.warn, variable("ANY_LOG_LEVEL")))
        #expect(
            configuration.network.nodeConfPath == Sourced<String?>("/env/conf", variable("ANY_NETWORK_NODECONF_PATH")))
        #expect(configuration.push.enabled == Sourced<Bool?>(false, variable("ANY_PUSH_ENABLED")))
        #expect(configuration.push.peerId.value?.text == PushSettings.Production.peerId)
        #expect(configuration.push.addresses.value.map(\.description) == ["b:1", "yamux://c:2"])
        #expect(configuration.push.addresses.source == variable("ANY_PUSH_ADDRS"))
        #expect(configuration.push.node == nil)
    }

    @Test func flagsCountMostOfAll() throws {
        var flags = ConfigurationFlags()
        flags.dataDirectory = "flag"
        flags.mode = "standalone"
        flags.account = ConfigurationLab.accountId
        flags.address = "localhost:0"
        flags.wallet = "~/w"
        flags.logLevel = "error"
        let configuration = try lab.load(
            "dataDir: /file\nlog: {defaultLevel: debug}\n", flags: flags,
            environment: ["ANY_DATA_DIR": "/env", "ANY_LOG_LEVEL": "warn", "ANY_MODE": "managed"]
        )
        #expect(configuration.dataDirectory == Sourced("/work/flag", .flag("--data-dir")))
        #expect(configuration.mode == Sourced(.standalone, .flag("--mode")))
        #expect(configuration.account == Sourced<String?>(ConfigurationLab.accountId, .flag("--account")))
        #expect(configuration.listenAddress.value.description == "127.0.0.1:0")
        #expect(configuration.walletPath == Sourced<String?>(folder.path("w"), .flag("--wallet")))
        #expect(configuration.log.level == Sourced(.error, .flag("--log-level")))
    }

    @Test func filesAreLookedForInOrder() throws {
        let xdg = folder.path("xdg")
        for name in ["xdg/any", ".config/any", "data"] {
            try Folder.create(folder.path(name))
            try folder.write("account: \"\"\n", to: "\(name)/config.yaml")
        }
        func found(_ environment: [String: String]) throws -> String? {
            var flags = ConfigurationFlags()
            flags.dataDirectory = folder.path("data")
            return try lab.load(flags: flags, environment: environment).path
        }
        #expect(try found(["XDG_CONFIG_HOME": xdg]) == folder.path("xdg/any/config.yaml"))
        #expect(try found([:]) == folder.path(".config/any/config.yaml"))
        try SecretFile(path: folder.path(".config/any/config.yaml")).remove()
        #expect(try found(["XDG_CONFIG_HOME": folder.path("none")]) == folder.path("data/config.yaml"))
        try SecretFile(path: folder.path("data/config.yaml")).remove()
        #expect(try found([:]) == nil)
        // The data directory of the environment, and the default one, are looked at as well.
        try folder.write("", to: "data/config.yaml")
        #expect(
            try lab.load(environment: ["ANY_DATA_DIR": folder.path("data")]).path == folder.path("data/config.yaml"))
        try Folder.create(folder.path(".any"))
        try folder.write("", to: ".any/config.yaml")
        #expect(try lab.load().path == folder.path(".any/config.yaml"))
    }

    @Test func aFileThatIsNamedMustBeThere() throws {
        var flags = ConfigurationFlags()
        flags.config = "~/none.yaml"
        let expected = ConfigurationError(.missingFile(path: folder.path("none.yaml")), at: .flag("--config"))
        #expect(throws: expected) { try lab.load(flags: flags) }
        flags.config = folder.path
        #expect(throws: ConfigurationError(.unreadableFile(.notARegularFile(path: folder.path)))) {
            try lab.load(flags: flags)
        }
        flags.config = try folder.write(String(repeating: "#", count: (1 << 20) + 1), to: "long.yaml")
        #expect(throws: ConfigurationError(.unreadableFile(.tooLarge(path: folder.path("long.yaml"), limit: 1 << 20))))
        {
            try lab.load(flags: flags)
        }
    }

    @Test func withoutAHomeOnlyWholePathsWork() throws {
        #expect(throws: ConfigurationError(.noHome(key: "dataDir"), at: .standard)) {
            try ServerConfiguration.load(environment: [:], workingDirectory: "/")
        }
        let configuration = try ServerConfiguration.load(
            environment: ["ANY_DATA_DIR": folder.path("d")], workingDirectory: "/"
        )
        #expect(configuration.dataDirectory.value == folder.path("d"))
    }

    @Test func anEmbeddedServerTakesWhatItsHostSaysOnly() throws {
        var options = EmbeddedOptions(dataDirectory: "/data")
        #expect(try ServerConfiguration.embedded(options).listenAddress.value.port == 0)
        options.pushPeerId = ConfigurationLab.peerId
        options.pushAddresses = "yamux://a:1,b:2"
        options.mode = "managed"
        options.nodeConf = "networkId: \(NetworkChoice.productionNetworkId)\n"
        var configuration = try ServerConfiguration.embedded(options)
        #expect(configuration.dataDirectory == Sourced("/data", .host(option: "DataDir")))
        #expect(configuration.mode == Sourced(.managed, .host(option: "Mode")))
        #expect(configuration.push.node?.addresses.map(\.description) == ["yamux://a:1", "b:2"])
        #expect(try configuration.joinNetwork(account: nil).origin == .configuration(.host(option: "NodeconfYAML")))
        options.listenAddress = "0.0.0.0:1"
        let error = #expect(throws: ConfigurationError.self) { try ServerConfiguration.embedded(options) }
        #expect(error?.source == .host(option: "ListenAddr"))
    }
}
