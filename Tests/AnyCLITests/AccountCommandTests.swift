import Foundation
import Glibc
import TestSupport
import Testing

/// `any init`, `run` and `stop` on directories of the user's own.
@Suite(.serialized) struct AccountCommandTests {
    private static let phrase =
        "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

    private struct Account: Decodable {
        let accountId: String
        let peerId: String
        let wallet: String
    }

    /// A home directory of its own, and the variables that lead to it.
    private struct Home {
        let folder: TemporaryDirectory
        var variables: [String: String] { ["HOME": folder.path] }

        init() throws {
            folder = try TemporaryDirectory()
            // Nothing of a test reaches a node of others, or a server of others where this one's is looked for.
            try FileManager.default.createDirectory(atPath: folder.path(".any"), withIntermediateDirectories: false)
            try folder.write(
                "push: { enabled: false }\nlisten: { addr: \"127.0.0.1:\(RefusedPort.tcp)\" }\n", to: ".any/config.yaml"
            )
        }

        func any(_ words: String..., input: String? = nil) async throws -> AnyProcess {
            try await AnyProcess.run(words, environment: variables, input: input)
        }

        func initialize() async throws -> Account {
            let made = try await any("init")
            #expect(made.status == 0)
            return try JSONDecoder().decode(Account.self, from: Data(made.output.utf8))
        }

        /// A server that listens where the system let it.
        func serve(_ words: String..., variables more: [String: String] = [:]) async throws -> (ToolProcess, String) {
            let server = try ToolProcess(
                ["run", "--addr", "127.0.0.1:0"] + words, keepsErrors: true,
                environment: variables.merging(more) { $1 })
            return (server, try await server.line(after: "LISTENING "))
        }
    }

    @Test func aNewAccountShowsItsPhraseOnceOnStandardError() async throws {
        let home = try Home()
        let made = try await home.any("init")
        #expect(made.status == 0)
        let account = try JSONDecoder().decode(Account.self, from: Data(made.output.utf8))
        #expect(account.wallet == home.folder.path(".any/\(account.accountId)/wallet.key"))
        #expect(home.folder.mode(".any/\(account.accountId)/wallet.key") == 0o600)
        let lines = made.errors.split(separator: "\n")
        #expect(lines.count == 2)
        let phrase = String(lines[1])
        #expect(phrase.split(separator: " ").count == 12)
        #expect(!made.output.contains(phrase))
        // The phrase brings the same account back, as another device.
        let other = try Home()
        let restored = try await other.any("init", "--mnemonic-stdin", input: phrase + "\n")
        let same = try JSONDecoder().decode(Account.self, from: Data(restored.output.utf8))
        #expect(same.accountId == account.accountId && same.peerId != account.peerId)
        #expect(restored.errors.isEmpty)
    }

    @Test func theIndexIsOneUnlessTold() async throws {
        let ids = try await [[], ["--index", "1"], ["--index", "0"]].asyncMap { words in
            let home = try Home()
            let restored = try await AnyProcess.run(
                ["init", "--mnemonic-stdin"] + words, environment: home.variables, input: Self.phrase)
            return try JSONDecoder().decode(Account.self, from: Data(restored.output.utf8)).accountId
        }
        #expect(ids[0] == ids[1] && ids[0] != ids[2])
    }

    @Test func aWalletIsNeverOverwritten() async throws {
        let home = try Home()
        let first = try await home.any("init", "--mnemonic-stdin", input: Self.phrase)
        #expect(first.status == 0)
        let account = try JSONDecoder().decode(Account.self, from: Data(first.output.utf8))
        let wallet = try Data(contentsOf: URL(fileURLWithPath: account.wallet))
        for words in [["init", "--mnemonic-stdin"], ["init"]] {
            let again = try await AnyProcess.run(words, environment: home.variables, input: Self.phrase)
            #expect(again.status == 0 && again.output.contains("\"created\": false"))
            #expect(again.errors == "already initialized; --new makes another account\n")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: account.wallet)) == wallet)
    }

    @Test(arguments: [
        (["--index", "x"], "", "option --index: \"x\" is no number below 2147483648"),
        (["--mnemonic-stdin"], "abandon abandon", "the phrase can not be used: it has 2 words"),
        (["--mnemonic-stdin", "--account", "A6Q4"], phrase, "--account: account must be an account id"),
        (["--passkey-stdin"], "\n", "the passkey on standard input is empty"),
        (["--mode", "managed"], "", "a managed server has no wallet"),
        (["--mode", "loose"], "", "--mode: mode must be"),
        (["--config", "/nonexistent.yaml"], "", "--config: there is no file /nonexistent.yaml"),
    ])
    func aMistakeMakesNoWallet(words: [String], input: String, message: String) async throws {
        let home = try Home()
        let run = try await AnyProcess.run(["init"] + words, environment: home.variables, input: input)
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.hasPrefix("any: " + message), "\(run.errors)")
        #expect(try home.folder.names(in: ".any") == ["config.yaml"])
    }

    @Test func aPasskeyComesFromStandardInputOrTheEnvironment() async throws {
        let home = try Home()
        let made = try await home.any(
            "init", "--mnemonic-stdin", "--passkey-stdin", input: Self.phrase + "\nopen sesame\n")
        #expect(made.status == 0)
        let without = try await home.any("run", "--addr", "127.0.0.1:0")
        #expect(without.status == 1)
        #expect(without.errors.contains("is encrypted; give the passkey"))
        let (server, _) = try await home.serve(variables: ["ANY_WALLET_PASSKEY": "open sesame"])
        server.signal(SIGTERM)
        #expect(await server.wait() == 0)
    }

    @Test func clientsFindTheServerOfTheAccount() async throws {
        let home = try Home()
        let account = try await home.initialize()
        let (server, address) = try await home.serve()
        let status = try await home.any("status", "--verbose")
        #expect(status.status == 0)
        #expect(status.output.contains("\"account\": \"\(account.accountId)\""))
        #expect(status.errors.hasPrefix("> GET http://\(address)/v1/health\n"))
        let second = try await home.any("run", "--addr", "127.0.0.1:0")
        #expect(second.status == 1 && second.output.isEmpty)
        #expect(second.errors.contains("is in use by another server, process \(server.identifier), at \(address)"))
        server.signal(SIGINT)
        #expect(await server.wait() == 0)
        let gone = try await home.any("status", "--timeout", "5s")
        #expect(gone.status == 3)
    }

    private struct Stop: Decodable {
        let stopped: Bool
        let account: String?
        let pid: Int32?
    }

    @Test func stopFindsTheOneServerThereIs() async throws {
        let home = try Home()
        let first = try await home.initialize()
        let phrase = try await home.any("init", "--mnemonic-stdin", input: Self.phrase)
        let second = try JSONDecoder().decode(Account.self, from: Data(phrase.output.utf8))
        let none = try await home.any("stop")
        #expect(none.status == 0 && none.output.contains("\"stopped\": false"))
        #expect(none.errors.contains("no server runs on an account in"))
        let (one, _) = try await home.serve("--account", first.accountId)
        let (two, _) = try await home.serve("--account", second.accountId)
        let several = try await home.any("stop")
        #expect(several.status == 1 && several.errors.contains("several servers run"))
        #expect([first, second].allSatisfy { several.errors.contains($0.accountId) })
        // Elsewhere, and by its folder.
        let stranger = try Home()
        let named = try await stranger.any(
            "stop", "--data-dir", home.folder.path(".any"), "--account", first.accountId)
        let ended = try JSONDecoder().decode(Stop.self, from: Data(named.output.utf8))
        #expect(named.status == 0 && named.errors.isEmpty)
        #expect(ended.stopped && ended.account == first.accountId && ended.pid == one.identifier)
        #expect(await one.wait() == 0)
        let last = try await stranger.any(
            "stop", "--config", home.folder.path(".any/config.yaml"), "--data-dir", home.folder.path(".any"))
        #expect(try JSONDecoder().decode(Stop.self, from: Data(last.output.utf8)).account == second.accountId)
        #expect(await two.wait() == 0)
    }

    @Test func stopSaysWhatItCannotFind() async throws {
        let home = try Home()
        let (server, address) = try await home.serve()
        try home.folder.write("push: { enabled: false }\nlisten: { addr: \"\(address)\" }\n", to: ".any/config.yaml")
        let stop = try await home.any("stop")
        #expect(stop.status == 1 && stop.output.isEmpty)
        #expect(stop.errors.hasPrefix("any: the server at \(address) runs no account"))
        server.signal(SIGTERM)
        #expect(await server.wait() == 0)
    }

    /// The address of an account's own server, when it is down, is not another account's.
    @Test func nothingIsSaidToAnotherAccountsServer() async throws {
        let (alice, bob) = (try Home(), try Home())
        let own = try await alice.initialize()
        let other = try await bob.initialize()
        let (server, address) = try await bob.serve()
        try alice.folder.write("push: { enabled: false }\nlisten: { addr: \"\(address)\" }\n", to: ".any/config.yaml")
        for words in [["space", "create", "--name", "Hers"], ["status"], ["space", "subscribe"], ["push", "doctor"]] {
            let run = try await AnyProcess.run(words, environment: alice.variables)
            #expect(run.status == 3, "\(words)")
            let said = run.output + run.errors
            #expect(said.contains("runs the account \(other.accountId), and none runs \(own.accountId)"), "\(said)")
        }
        let spaces = try await bob.any("space", "list")
        #expect(spaces.status == 0 && spaces.output.contains("\"spaces\": []"))
        // Whoever is named is asked, and whoever has no account yet asks whom it finds.
        let named = try await alice.any("status", "--addr", address)
        #expect(named.status == 0)
        let newcomer = try Home()
        try newcomer.folder.write("listen: { addr: \"\(address)\" }\n", to: ".any/config.yaml")
        let found = try await newcomer.any("status")
        #expect(found.status == 0)
        server.signal(SIGTERM)
        #expect(await server.wait() == 0)
    }

    @Test func stopEndsAServerOfItsOwner() async throws {
        let home = try Home()
        let made = try await home.initialize()
        let (server, _) = try await home.serve()
        let stop = try await home.any("stop")
        #expect(stop.status == 0 && stop.errors.isEmpty)
        let ended = try JSONDecoder().decode(Stop.self, from: Data(stop.output.utf8))
        #expect(ended.stopped && ended.account == made.accountId && ended.pid == server.identifier)
        #expect(await server.wait() == 0)
        let account = try #require(try home.folder.names(in: ".any").first { $0.hasPrefix("A") })
        #expect(!(try home.folder.names(in: ".any/\(account)").contains("server.pid")))
    }

    /// Read as a text, a path of other bytes would be another path.
    @Test func whatIsNotUTF8IsRefused() async throws {
        let folder = try TemporaryDirectory()
        let tool = try ToolProcess.productsFolder() + "/any"
        for (line, message) in [
            ("exec \(tool) init --data-dir \"\(folder.path)/$(printf 'a\\377')\"", "any: argument 3, "),
            (
                "ANY_DATA_DIR=\"\(folder.path)/$(printf 'a\\377')\" exec \(tool) init",
                "any: the environment variable ANY_DATA_DIR"
            ),
            ("HOME=\"\(folder.path)/$(printf 'a\\377')\" exec \(tool) init", "any: the environment variable HOME"),
            (
                "cd \"\(folder.path)\"; d=$(printf 'w\\377'); mkdir \"$d\"; cd \"$d\"; exec \(tool) init --data-dir x",
                "any: the path of the working directory"
            ),
        ] {
            let run = try await ToolProcess(program: "sh", ["-c", line], keepsErrors: true).end()
            #expect(run.status == 1 && run.output.isEmpty, "\(line)")
            #expect(run.errors.hasPrefix(message) && run.errors.contains("is not UTF-8"), "\(run.errors)")
        }
        #expect(try folder.names().filter { $0.hasPrefix("a") }.isEmpty, "nothing was made elsewhere")
    }

    @Test func stopOfAServerElsewhereIsRefused() async throws {
        let home = try Home()
        _ = try await home.initialize()
        let (server, address) = try await home.serve()
        let stranger = try Home()
        let stop = try await stranger.any("stop", "--addr", address)
        #expect(stop.status == 1)
        #expect(stop.errors.hasSuffix("(shutdown.not_managed)\n"))
        server.signal(SIGTERM)
        #expect(await server.wait() == 0)
    }

    @Test func aManagedServerObeysItsHostsToken() async throws {
        let home = try Home()
        let token = "a-token-of-the-host"
        let (server, address) = try await home.serve("--mode", "managed", variables: ["ANY_CONTROL_TOKEN": token])
        let refused = try await home.any("auth", "login", "--mnemonic-stdin", "--addr", address, input: Self.phrase)
        #expect(refused.status == 1)
        #expect(refused.errors.hasSuffix("(control.forbidden)\n"))
        let login = try await home.any(
            "auth", "login", "--mnemonic-stdin", "--addr", address, "--control-token", token, input: Self.phrase)
        #expect(login.status == 0)
        #expect(login.output.contains("\"created\": true"))
        let stop = try await home.any("stop", "--addr", address, "--control-token", token)
        #expect(stop.status == 0)
        #expect(await server.wait() == 0)
    }
}

extension Array {
    func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
