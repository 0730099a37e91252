import AnyServer
import PushCrypto
import SecretFiles

/// `any init`: makes the wallet of an account.
enum InitCommand {
    static let command = Command(
        name: "init", abstract: "Make an account, or bring one back from its phrase",
        discussion: """
            Writes the account's wallet to the data directory and prints the account's id. The phrase of a new account is
            shown once, on standard error: whoever has it has the account, and nothing else brings the account back. Where
            there is an account already, nothing happens; --new makes another.

            With a passkey, from standard input or ANY_WALLET_PASSKEY, the wallet is encrypted. With both --mnemonic-stdin and
            --passkey-stdin the first line is the phrase and the second one the passkey.
            """,
        options: ServerOptions.all + [phrase, mnemonic, index, new], run: { values in try run(values) })

    private static let phrase = Command.Option(
        name: "mnemonic", value: "words",
        help: "Bring an account back from its phrase. Others see the words of a command line: better pipe it.")
    private static let new = Command.Option(name: "new", help: "Make another account where there is one.")
    private static let mnemonic = Command.Option(
        name: "mnemonic-stdin", help: "Bring an account back: read its phrase from standard input.")
    private static let index = Command.Option(
        name: "index", value: "number", help: "Which of the phrase's accounts. Default: 1.")

    private static func run(_ values: Values) throws(CommandFailure) -> ExitCode {
        let configuration = try ServerOptions.configuration(values)
        guard configuration.mode.value == .standalone else {
            throw CommandFailure("a managed server has no wallet: its host brings the account's key")
        }
        let index = try accountIndex(values)
        guard !values.flag(mnemonic) || !values.flag(phrase) else {
            throw CommandFailure("give either --mnemonic or --mnemonic-stdin, not both")
        }
        var given = values.option(phrase)
        if values.flag(mnemonic) {
            given = try SecretInput.ask("phrase: ") { () throws(CommandFailure) in try SecretInput.line() }
        }
        if let given {
            guard !values.flag(new) else {
                throw CommandFailure("--new makes an account, and a phrase brings one back")
            }
            try check(given, index, configuration)
            if try showKnown(configuration, try id(of: given, index)) { return .success }
            show(try restore(given, index, configuration, try ServerOptions.passkey(values, configuration)))
        } else {
            if !values.flag(new), try showKnown(configuration, configuration.account.value) { return .success }
            if let account = configuration.account.value {
                throw CommandFailure(
                    "\(configuration.account.source): a new account can not be \(account); leave that out, "
                        + "or bring the account back with --mnemonic-stdin")
            }
            let new = try create(index, configuration, try ServerOptions.passkey(values, configuration))
            Console.note("The account's phrase, shown this once. Write it down and keep it to yourself:")
            Console.note(new.phrase)
            show(new.wallet)
        }
        return .success
    }

    private static func accountIndex(_ values: Values) throws(CommandFailure) -> UInt32 {
        guard let text = values.option(index) else { return AccountKeys.defaultIndex }
        guard let index = UInt32(text), index < 1 << 31 else {
            throw CommandFailure("option --index: \"\(text)\" is no number below 2147483648")
        }
        return index
    }

    /// Looks before anything is written whether the phrase is that of the account that was named.
    private static func check(
        _ phrase: String, _ index: UInt32, _ configuration: ServerConfiguration
    ) throws(CommandFailure) {
        guard let expected = configuration.account.value else { return }
        let found = try id(of: phrase, index)
        guard found == expected else {
            throw CommandFailure("the phrase is of \(found), not of \(expected); is --index right?")
        }
    }

    private static func id(of phrase: String, _ index: UInt32) throws(CommandFailure) -> String {
        do throws(WalletError) {
            return try AccountKeys(phrase: phrase, index: index, deviceKey: SigningKey()).accountId
        } catch {
            throw failure(error)
        }
    }

    /// Shows the account that is there already, so that nothing is to be made.
    ///
    /// - Parameter wanted: the only one that counts.
    private static func showKnown(
        _ configuration: ServerConfiguration, _ wanted: String?
    ) throws(CommandFailure) -> Bool {
        var known: [(id: String?, path: String)] = []
        if let path = configuration.walletPath.value {
            do throws(WalletError) {
                known = [(try Wallet.accountId(path: path), path)]
            } catch {
                if case .notFound = error { return false }
                throw failure(error)
            }
        } else {
            do throws(FileError) {
                known = try DataRoot(path: configuration.dataDirectory.value).accounts().map {
                    ($0.id, $0.directory.walletPath)
                }
            } catch {
                throw CommandFailure("\(error)", code: .environment)
            }
        }
        if let wanted { known = known.filter { $0.id == wanted } }
        guard let first = known.first else { return false }
        Console.note("already initialized; --new makes another account")
        var shown: JSONObject = ["accountId": .string(first.id ?? ""), "wallet": .string(first.path), "created": false]
        if known.count > 1 { shown["accounts"] = .array(known.compactMap { $0.id.map { .string($0) } }) }
        Console.show(.object(shown))
        return true
    }

    private static func restore(
        _ phrase: String, _ index: UInt32, _ configuration: ServerConfiguration, _ passkey: Passkey?
    ) throws(CommandFailure) -> Wallet {
        do throws(WalletError) {
            return try Wallet.restore(
                phrase: phrase, index: index, in: DataRoot(path: configuration.dataDirectory.value),
                path: configuration.walletPath.value, passkey: passkey)
        } catch {
            throw failure(error)
        }
    }

    private static func create(
        _ index: UInt32, _ configuration: ServerConfiguration, _ passkey: Passkey?
    ) throws(CommandFailure) -> Wallet.New {
        do throws(WalletError) {
            return try Wallet.create(
                index: index, in: DataRoot(path: configuration.dataDirectory.value),
                path: configuration.walletPath.value, passkey: passkey)
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: WalletError) -> CommandFailure {
        if case .file = error { return CommandFailure("\(error)", code: .environment) }
        return CommandFailure("\(error)")
    }

    private static func show(_ wallet: Wallet) {
        Console.show([
            "accountId": .string(wallet.keys.accountId), "peerId": .string("\(wallet.keys.peerId)"),
            "wallet": .string(wallet.path), "created": true,
        ])
    }
}
