import AnySyncNet
import PushCrypto

/// Every setting that the configuration file has.
enum Settings {
    static let dataDirectory = Setting("dataDir", .text, standard: "~/.any", variable: "ANY_DATA_DIR")
    static let mode = Setting("mode", .choice, standard: ServerMode.standalone, variable: "ANY_MODE")
    static let account = Setting("account", SettingKind.accountId.optional, standard: nil, variable: "ANY_ACCOUNT")
    static let listenAddress = Setting(
        "listen.addr", .listenAddress, standard: ListenAddress(port: 7001),
        variable: "ANY_LISTEN_ADDR"
    )
    static let listenTokenFile = Setting(
        "listen.tokenFile", SettingKind.text.optional, standard: nil, variable: "ANY_LISTEN_TOKEN_FILE"
    )
    static let listenOrigins = Setting(
        "listen.origins", .list(of: .origin, limit: 16), standard: [], variable: "ANY_LISTEN_ORIGINS"
    )
    static let walletPath = Setting(
        "auth.walletPath", SettingKind.text.optional, standard: nil, variable: "ANY_WALLET_PATH"
    )
    static let passkeyVariable = Setting("auth.passkeyEnv", .variableName, standard: Passkey.defaultVariable)
    static let nodeConfPath = Setting(
        "network.nodeconfPath", SettingKind.text.optional, standard: nil, variable: "ANY_NETWORK_NODECONF_PATH"
    )
    static let nodeConf = Setting("network.nodeconf", SettingKind.document.optional, standard: nil)
    static let pushEnabled = Setting(
        "push.enabled", SettingKind.boolean.optional, standard: nil, variable: "ANY_PUSH_ENABLED"
    )
    static let pushPeerId = Setting(
        "push.peerId", SettingKind.peerId.optional, standard: nil, variable: "ANY_PUSH_PEER_ID"
    )
    // A node has a name or two, each with a port or two.
    static let pushAddresses = Setting(
        "push.addrs", .list(of: .pushAddress, limit: 16), standard: [], variable: "ANY_PUSH_ADDRS"
    )
    static let pushRequireEncrypted = Setting(
        "push.requireEncrypted", .boolean, standard: false, variable: "ANY_PUSH_REQUIRE_ENCRYPTED"
    )
    // Ours: the network's protocol version moves on without a new release.
    static let protocolVersion = Setting(
        "protocol.version", SettingKind.integer(in: 1...Int(UInt32.max)).optional, standard: nil,
        variable: "ANY_PROTOCOL_VERSION"
    )
    static let protocolAccepted = Setting(
        "protocol.accepted", SettingKind.list(of: .integer(in: 1...Int(UInt32.max)), limit: 32).optional, standard: nil,
        variable: "ANY_PROTOCOL_ACCEPTED"
    )
    static let logLevel = Setting(
        "log.defaultLevel", .choice, standard: LogSettings.Level.info, variable: "ANY_LOG_LEVEL"
    )
    static let logIsProduction = Setting("log.production", .boolean, standard: false)
    static let logFormat = Setting("log.format", .choice, standard: LogSettings.Format.colorized)
    static let logOutputPaths = Setting("log.addOutputPaths", .list(of: .text, limit: 16), standard: [])

    // Of parts of `any` that this server does not have. They are checked so that a file that passes here passes there.
    static let webUIEnabled = Setting("webUI.enabled", .boolean, standard: true, isUsed: false)
    static let storageTopology = Setting("storage.topology", .choice, standard: Topology.shared, isUsed: false)
    static let dialTimeout = Setting("sync.dialTimeout", .duration, standard: .seconds(10), isUsed: false)
    static let changeBatchSize = Setting(
        "sync.changeBatchSize", .integer(in: 1...1_000_000), standard: 100, isUsed: false
    )
    static let localEnabled = Setting("local.enabled", .boolean, standard: true, isUsed: false)
    static let redeemURL = Setting("access.redeemUrl", SettingKind.text.optional, standard: nil, isUsed: false)
    /// Sections that are taken as they are.
    static let unusedBlocks = ["p2p", "index", "files"]

    enum Topology: String, CaseIterable {
        case shared
        case perSpace = "per-space"
    }
}

extension SettingKind where Value == String {
    static let accountId = SettingKind(expected: "an account id, A…") { input throws(SettingProblem) in
        let text = try input.line()
        guard (try? PublicKey(accountAddress: text)) != nil else { throw .wrongType }
        return text
    }

    static let variableName = SettingKind(expected: "the name of an environment variable") {
        input throws(SettingProblem) in
        let text = try input.line()
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "=") }) else { throw .wrongType }
        return text
    }
}

extension SettingKind where Value == PeerId {
    static let peerId = SettingKind(expected: "a peer id, 12D3KooW…") { input throws(SettingProblem) in
        guard let peerId = try? PeerId(try input.line()) else { throw .wrongType }
        return peerId
    }
}

extension SettingKind where Value == Address {
    static let pushAddress = SettingKind(expected: "an address such as yamux://push.example.org:443") {
        input throws(SettingProblem) in
        let address = try parse(input)
        guard address.port != 0 else { throw .invalid("address \"\(address)\": port 0 is none that can be called") }
        return address
    }

    private static func parse(_ input: SettingInput) throws(SettingProblem) -> Address {
        let text = try input.line()
        do throws(AddressFormatError) { return try Address(text) } catch { throw .invalid(error.description) }
    }
}

extension SettingKind where Value == ListenAddress {
    /// Of this machine only: whoever reaches the server is its owner to it.
    static let listenAddress = SettingKind(expected: "host:port such as 127.0.0.1:7001, or unix:/path") {
        input throws(SettingProblem) in
        let text = try input.line()
        do throws(HTTPServerError) {
            return try ListenAddress(text)
        } catch {
            switch error {
            case .notLoopback where !text.contains("/"):
                throw .invalid(
                    "\"\(text)\" can be reached by others, who could do all that the owner can; use 127.0.0.1")
            case .invalidSocketPath: throw .invalid("\(error)")
            default: throw .wrongType
            }
        }
    }
}

extension SettingKind where Value == String {
    /// As browsers write it (RFC 6454, section 6.2), also that of a desktop shell such as `tauri://localhost`.
    static let origin = SettingKind(expected: "an origin such as https://app.example.org or tauri://localhost") {
        input throws(SettingProblem) in
        let text = try input.line()
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let isOrigin =
            parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && text == text.lowercased()
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } && !parts[1].contains("/") && !parts[1].contains("*")
        guard isOrigin else {
            throw .invalid("\"\(text)\" is no origin, such as https://app.example.org or tauri://localhost")
        }
        return text
    }
}
