import AnyServer

/// What `any run` and `any init` are told about the server, and the configuration that comes of it.
enum ServerOptions {
    static let config = Command.Option(
        name: "config", value: "file", help: "The configuration. Default: config.yaml of the usual directories.",
        completion: .files)
    static let dataDirectory = Command.Option(
        name: "data-dir", value: "dir", help: "Where accounts are kept. Default: ~/.any.", completion: .directories)
    static let account = Command.Option(name: "account", value: "id", help: "The account, when there are several.")
    static let wallet = Command.Option(
        name: "wallet", value: "file", help: "The wallet, when it is somewhere else.", completion: .files)
    static let logLevel = Command.Option(
        name: "log-level", value: "level", help: "From how bad on to log: debug, info, warn or error.",
        completion: .words(LogSettings.Level.allCases.map(\.rawValue)))
    static let passkey = Command.Option(
        name: "passkey-stdin", help: "Read the wallet's passkey from standard input. Default: ANY_WALLET_PASSKEY.")
    static let mode = Command.Option(
        name: "mode", value: "mode", help: "standalone, or managed by the program that starts it.",
        completion: .words(ServerMode.allCases.map(\.rawValue)))

    static let all = [config, dataDirectory, account, wallet, logLevel, passkey, mode]

    /// The configuration that a command line asks for.
    static func configuration(_ values: Values) throws(CommandFailure) -> ServerConfiguration {
        var flags = ConfigurationFlags()
        flags.config = values.option(config)
        flags.dataDirectory = values.option(dataDirectory)
        flags.account = values.option(account)
        flags.wallet = values.option(wallet)
        flags.logLevel = values.option(logLevel)
        flags.mode = values.option(mode)
        flags.address = values.option(.address)
        let workingDirectory = try Environment.workingDirectory()
        do throws(ConfigurationError) {
            return try ServerConfiguration.load(
                flags: flags, environment: Environment.all, workingDirectory: workingDirectory)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    /// The wallet's passkey: from standard input if so asked, else from the environment.
    static func passkey(
        _ values: Values, _ configuration: ServerConfiguration
    ) throws(CommandFailure) -> Passkey? {
        do throws(Passkey.Failure) {
            guard values.flag(passkey) else {
                return try Passkey(variable: configuration.passkeyVariable.value, in: Environment.all)
            }
            let given = try SecretInput.ask("passkey: ") { () throws(Passkey.Failure) in try Passkey(lineOf: 0) }
            if let given { return given }
        } catch {
            throw CommandFailure("\(error)")
        }
        // An empty one would mean a wallet in the clear, which is not what was asked for.
        throw CommandFailure("the passkey on standard input is empty")
    }
}
