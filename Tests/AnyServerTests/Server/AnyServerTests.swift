import Glibc
import Locks
import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

@Suite struct StandaloneServerTests {
    @Test func itServesItsOwnersAccount() async throws {
        try await withAnyServer { live in
            let health = try #require(try await live.request("GET", "/v1/health").json?.object)
            #expect(health.string("status") == "ok")
            #expect(health.string("version") == AnyServer.version)
            #expect(health.string("account") == live.server.accountId)
            #expect(health.string("networkId")?.hasPrefix("N") == true)
            #expect(health.bool("bootstrapping") == false)
            let auth = try #require(try await live.request("GET", "/v1/auth").json?.object)
            #expect(auth.bool("authorized") == true)
            #expect(auth.string("mode") == "standalone")
            #expect(auth.array("accounts") == [["id": .string(live.server.accountId ?? "")]])
            #expect(auth["capabilities"] == ["deauthorize": false, "switchAccount": false, "shutdown": false])
        }
    }

    @Test func nobodyStopsItOverHTTP() async throws {
        try await withAnyServer { live in
            for (method, target, code) in [
                ("POST", "/v1/shutdown", "shutdown.not_managed"), ("DELETE", "/v1/auth", "auth.not_managed"),
            ] {
                let response = try await live.request(method, target)
                #expect(response.status == 403)
                #expect(response.errorCode == code)
            }
            #expect(try await live.request("GET", "/v1/health").status == 200)
        }
    }

    @Test func itSaysWhereItIsWhileItIsThere() async throws {
        let folder = try TemporaryDirectory()
        let wallet = try Wallet.create(in: DataRoot(path: folder.path("data")), passkey: nil).wallet
        let directory = DataRoot(path: folder.path("data")).directory(of: wallet.keys.accountKey.publicKey)
        let server = try await AnyServer.start(try LiveServer.options(in: folder.path("data")))
        let running = try #require(try RunningServer.find(in: directory))
        #expect(running.address == server.address)
        #expect(running.processId == getpid())
        await server.stop()
        #expect(try RunningServer.find(in: directory) == nil)
        #expect(!BoundedFile.exists(directory.addressPath))
        await server.waitUntilStopped()
    }

    @Test func anyPortIsThatOfTheLastTime() async throws {
        let folder = try TemporaryDirectory()
        _ = try Wallet.create(in: DataRoot(path: folder.path("data")), passkey: nil)
        let first = try await AnyServer.start(try LiveServer.options(in: folder.path("data")))
        let address = first.address
        await first.stop(graceful: false)
        let second = try await AnyServer.start(try LiveServer.options(in: folder.path("data")))
        #expect(second.address == address)
        await second.stop(graceful: false)
        // Taken by another, it is left to that one.
        let other = folder.path("other")
        _ = try Wallet.create(in: DataRoot(path: other), passkey: nil)
        let taker = try await AnyServer.start(try LiveServer.options(in: other, address: address))
        let third = try await AnyServer.start(try LiveServer.options(in: folder.path("data")))
        #expect(third.address != address)
        await third.stop(graceful: false)
        await taker.stop(graceful: false)
    }

    @Test func severalAccountsWaitForAChoice() async throws {
        let folder = try TemporaryDirectory()
        let root = DataRoot(path: folder.path("data"))
        let ids = try (0..<2).map { _ in try Wallet.create(in: root, passkey: nil).wallet.keys.accountId }
        let server = try await AnyServer.start(try LiveServer.options(in: root.path))
        let live = LiveServer(server: server, folder: folder, log: SystemLock([]))
        #expect(server.accountId == nil)
        let auth = try await live.request("GET", "/v1/auth").json?.object
        #expect(auth?.bool("authorized") == false && auth?.array("accounts")?.count == 2)
        let chosen = try await live.request("POST", "/v1/auth", json: ["accountId": .string(ids[1])])
        #expect(chosen.json == ["accountId": .string(ids[1]), "created": false])
        #expect(try RunningServer.find(in: AccountDirectory(path: root.path + "/" + ids[1]))?.address == server.address)
        await server.stop(graceful: false)
    }

    @Test func aSecondServerIsRefusedAndNamesTheFirst() async throws {
        let folder = try TemporaryDirectory()
        _ = try Wallet.create(in: DataRoot(path: folder.path("data")), passkey: nil)
        let first = try await AnyServer.start(try LiveServer.options(in: folder.path("data")))
        let error = await #expect(throws: AnyServerError.self) {
            try await AnyServer.start(try LiveServer.options(in: folder.path("data")))
        }
        guard case .alreadyRunning(_, let running) = error else {
            Issue.record("\(String(describing: error))")
            return await first.stop(graceful: false)
        }
        #expect(running.address == first.address)
        #expect("\(error.map { "\($0)" } ?? "")".contains(first.address))
        await first.stop(graceful: false)
        let second = try await AnyServer.start(try LiveServer.options(in: folder.path("data")))
        await second.stop(graceful: false)
    }

    @Test func whatIsInTheWayIsNamed() async throws {
        let folder = try TemporaryDirectory()
        func start(_ options: AnyServerOptions) async -> String {
            do {
                let server = try await AnyServer.start(options)
                await server.stop(graceful: false)
                return "started"
            } catch {
                return "\(error)"
            }
        }
        let root = folder.path("data")
        var named = try LiveServer.options(in: root)
        named.configuration.account = Sourced(SigningKey().publicKey.accountAddress)
        #expect(await start(named).contains("is not in \(root)"))
        let file = try folder.write("x", to: "file")
        #expect(await start(try LiveServer.options(in: file)).hasPrefix("the data directory can not be used"))
        _ = try Wallet.create(in: DataRoot(path: root), passkey: nil)
        let server = try await AnyServer.start(try LiveServer.options(in: root))
        let other = folder.path("other")
        let wallet = try Wallet.create(in: DataRoot(path: other), passkey: nil).wallet
        let taken = await start(try LiveServer.options(in: other, address: server.address))
        #expect(taken.hasPrefix("cannot listen at \(server.address)"))
        await server.stop(graceful: false)
        // What failed has let go of everything.
        let directory = DataRoot(path: other).directory(of: wallet.keys.accountKey.publicKey)
        #expect(try RunningServer.find(in: directory) == nil)
        try folder.write("damaged", to: "other/\(wallet.keys.accountId)/wallet.key")
        #expect(await start(try LiveServer.options(in: other)).contains("wallet.key"))
    }
}

@Suite struct ManagedServerTests {
    private static func body(_ key: SigningKey) -> String {
        #"{"accountKey":"\#(String(decoding: SecretBase64.encode(key.rawBytes()), as: UTF8.self))"}"#
    }

    private static func control(_ live: LiveServer) throws -> [String] {
        ["\(ControlToken.header): \(try #require(live.server.controlToken).text)"]
    }

    @Test func itsHostBringsTheAccount() async throws {
        try await withAnyServer(mode: .managed) { live in
            let control = try Self.control(live)
            #expect(live.server.accountId == nil)
            #expect(try await live.request("GET", "/v1/auth").json?.object?.bool("authorized") == false)
            let key = SigningKey()
            let without = try await live.request("POST", "/v1/auth", body: Self.body(key))
            #expect(without.errorCode == "control.forbidden")
            let response = try await live.request("POST", "/v1/auth", headers: control, body: Self.body(key))
            #expect(response.status == 200)
            #expect(response.json?.object?.string("accountId") == key.publicKey.accountAddress)
            #expect(
                try await live.request("GET", "/v1/health").json?.object?.string("account")
                    == key.publicKey.accountAddress)
            let directory = DataRoot(path: live.folder.path("data")).directory(of: key.publicKey)
            #expect(try RunningServer.find(in: directory)?.address == live.server.address)
            // Again the same, then another.
            #expect(try await live.request("POST", "/v1/auth", headers: control, body: Self.body(key)).status == 200)
            let other = SigningKey()
            #expect(try await live.request("POST", "/v1/auth", headers: control, body: Self.body(other)).status == 409)
            let change = Self.body(other).dropLast() + #","replace":true}"#
            #expect(
                try await live.request("POST", "/v1/auth", headers: control, body: String(change)).status == 200)
            #expect(try RunningServer.find(in: directory) == nil)
            #expect(try await live.request("DELETE", "/v1/auth").errorCode == "control.forbidden")
            #expect(try await live.request("DELETE", "/v1/auth", headers: control).status == 204)
            #expect(try await live.request("DELETE", "/v1/auth", headers: control).status == 204)
            #expect(try await live.request("GET", "/v1/auth").json?.object?.bool("authorized") == false)
            // Nothing of the keys is on the disk, and nothing is in the log.
            let seed = String(decoding: SecretBase64.encode(Array(key.rawBytes()[..<32])), as: UTF8.self).prefix(40)
            let names = try live.folder.names(in: "data/\(key.publicKey.accountAddress)")
            #expect(!names.contains("wallet.key") && names.contains("device.key"))
            #expect(!live.log.withLock { $0.contains { $0.contains(seed) } })
        }
    }

    @Test func aPhraseIsTakenToo() async throws {
        try await withAnyServer(mode: .managed) { live in
            let response = try await live.request(
                "POST", "/v1/auth", headers: try Self.control(live), body: #"{"mnemonic":"\#(WalletTests.phrase)"}"#)
            let keys = try AccountKeys(phrase: WalletTests.phrase, deviceKey: SigningKey())
            #expect(response.json?.object?.string("accountId") == keys.accountId)
        }
    }

    @Test(arguments: [
        (
            #"{"accountKey":"AAAA"}"#, "request.invalid_field",
            "accountKey must be the base64 of a 32-byte seed or a 64-byte key"
        ),
        (
            #"{"accountKey":"!!!!"}"#, "request.invalid_field",
            "accountKey must be the base64 of a 32-byte seed or a 64-byte key"
        ),
        (
            #"{"accountKey":"AAAA","mnemonic":"a"}"#, "request.invalid_field",
            "accountKey must not stand beside mnemonic"
        ),
        (#"{"mnemonic":"abandon"}"#, "auth.bad_mnemonic", "the phrase can not be used"),
        (#"{"mnemonic":"a","masterKey":"b"}"#, "request.invalid_field", "masterKey belongs to an accountKey"),
        (#"{"accountKey":"AAAA","index":2}"#, "request.invalid_field", "index belongs to a mnemonic"),
        (#"{"accountKey":"AAAA","index":-1}"#, "request.invalid_field", "index must be between 0 and 2147483647"),
        (#"{"key":"AAAA"}"#, "request.unknown_field", "unknown field \"key\""),
    ])
    func aBodyThatBringsNoKeyIsRefused(body: String, code: String, message: String) async throws {
        try await withAnyServer(mode: .managed) { live in
            let response = try await live.request("POST", "/v1/auth", headers: try Self.control(live), body: body)
            #expect(response.status == 400)
            #expect(response.errorCode == code)
            #expect(response.errorMessage?.hasPrefix(message) == true, "\(response.errorMessage ?? "")")
        }
    }

    @Test func anAccountThatIsInUseIsRefused() async throws {
        try await withAnyServer(mode: .managed) { live in
            let key = SigningKey()
            let lock = try ServerLock(DataRoot(path: live.folder.path("data")).directory(of: key.publicKey))
            let response = try await live.request(
                "POST", "/v1/auth", headers: try Self.control(live), body: Self.body(key))
            #expect(response.status == 409)
            #expect(response.errorCode == "auth.account_in_use")
            #expect(!response.text.contains("/"))
            lock.release()
            #expect(
                try await live.request("POST", "/v1/auth", headers: try Self.control(live), body: Self.body(key)).status
                    == 200)
        }
    }

    @Test func itsHostStopsIt() async throws {
        try await withAnyServer(mode: .managed) { live in
            #expect(try await live.request("POST", "/v1/shutdown").errorCode == "control.forbidden")
            let response = try await live.request("POST", "/v1/shutdown", headers: try Self.control(live))
            #expect(response.status == 204)
            await live.server.waitUntilStopped()
            #expect(throws: (any Error).self) { try live.client() }
        }
    }
}
