import Testing

@testable import AnyServer

/// What people read who got the configuration wrong: the place, what is wrong, and what to do.
@Suite struct ConfigurationErrorTests {
    private let lab: ConfigurationLab

    init() throws {
        lab = try ConfigurationLab()
    }

    @Test(arguments: [
        ("pusch: {}\n", "1:1: unknown key \"pusch\"; did you mean \"push\"?"),
        ("push:\n  enabled: true\n  peerID: x\n", "3:3: unknown key \"push.peerID\"; did you mean \"push.peerId\"?"),
        ("push:\n  adrs: []\n", "2:3: unknown key \"push.adrs\"; did you mean \"push.addrs\"?"),
        ("log: {level: info}\n", "1:7: unknown key \"log.level\"; remove it"),
        ("peerId: x\n", "1:1: unknown key \"peerId\"; did you mean \"push.peerId\"?"),
        ("nodeconfPath: /x\n", "1:1: unknown key \"nodeconfPath\"; did you mean \"network.nodeconfPath\"?"),
        ("nothing: 1\n", "1:1: unknown key \"nothing\"; remove it"),
        ("auth: {passkey: sesame}\n", "1:8: unknown key \"auth.passkey\"; did you mean \"auth.passkeyEnv\"?"),
        ("log: {<<: {format: json}}\n", "1:7: unknown key \"log.<<\"; remove it"),
    ])
    func unknownKeysAreNamedWithTheirPlace(file: String, expected: String) {
        #expect(lab.error(file) == expected)
    }

    @Test(arguments: [
        ("push:\n  peerId: nobody\n", "2:11: push.peerId must be a peer id, 12D3KooW…, not nobody"),
        ("push: 5\n", "1:7: push must be a mapping, not 5"),
        ("push: [a]\n", "1:7: push must be a mapping, not a list"),
        ("index: on\n", "1:8: index must be a mapping, not on"),
        ("- a\n", "1:1: the file must be a mapping of keys to values, not a list"),
        ("push: {enabled: maybe}\n", "1:17: push.enabled must be true or false, not maybe"),
        ("push: {enabled: \"true\"}\n", "1:17: push.enabled must be true or false, not \"true\""),
        ("push: {enabled: 1}\n", "1:17: push.enabled must be true or false, not 1"),
        ("push: {enabled: yes}\n", "1:17: push.enabled must be true or false, not yes"),
        (
            "push: {addrs: \"yamux://a:1\"}\n",
            "1:15: push.addrs must be a list, each an address such as yamux://push.example.org:443, not \"yamux://a:1\""
        ),
        (
            "push: {addrs: [[a]]}\n",
            "1:15: push.addrs must be a list, each an address such as yamux://push.example.org:443, not a list"
        ),
        ("dataDir: {a: b}\n", "1:10: dataDir must be a text, not a mapping"),
        ("mode: server\n", "1:7: mode must be standalone or managed, not server"),
        ("log: {defaultLevel: loud}\n", "1:21: log.defaultLevel must be debug, info, warn or error, not loud"),
        ("log: {format: xml}\n", "1:15: log.format must be colorized, plaintext or json, not xml"),
        ("account: me\n", "1:10: account must be an account id, A…, not me"),
        (
            "listen: {addr: 7001}\n",
            "1:16: listen.addr must be host:port such as 127.0.0.1:7001, or unix:/path, not 7001"
        ),
        (
            "listen: {origins: [\"https://*\"]}\n",
            "1:19: listen.origins: \"https://*\" is no origin, such as https://app.example.org or tauri://localhost"
        ),
        (
            "listen: {addr: \"yamux://a:1\"}\n",
            "1:16: listen.addr must be host:port such as 127.0.0.1:7001, or unix:/path, not \"yamux://a:1\""
        ),
        ("sync: {dialTimeout: 10}\n", "1:21: sync.dialTimeout must be a duration such as 10s, 500ms or 1m30s, not 10"),
        ("sync: {changeBatchSize: 0}\n", "1:25: sync.changeBatchSize must be a whole number from 1 to 1000000, not 0"),
        (
            "sync: {changeBatchSize: 1.5}\n",
            "1:25: sync.changeBatchSize must be a whole number from 1 to 1000000, not 1.5"
        ),
        ("storage: {topology: both}\n", "1:21: storage.topology must be shared or per-space, not both"),
        ("auth: {passkeyEnv: a=b}\n", "1:20: auth.passkeyEnv must be the name of an environment variable, not a=b"),
        (
            "network:\n  nodeconf: {networkId: N}\n",
            "2:13: network.nodeconf must be a text; put | after the key and indent the lines below it, not a mapping"
        ),
        ("dataDir: \"a\\0b\"\n", "1:10: dataDir: it has control characters; remove them"),
    ])
    func wrongTypesAreNamedWithWhatIsExpected(file: String, expected: String) {
        #expect(lab.error(file) == expected)
    }

    @Test(arguments: [
        ("push:\n\tpeerId: x\n", "2:1: a tab can not indent YAML; use spaces"),
        ("mode: standalone\nmode: managed\n", "2:1: \"mode\" is there already, on line 1; remove one of them"),
        ("a: &x 1\n", "1:4: anchors and aliases (& and *) are not supported; write the value out"),
        ("mode: !!str x\n", "1:7: type tags (!) are not supported; leave the tag out"),
        ("mode: x\n---\nmode: y\n", "2:1: a second document; remove everything from the second --- on"),
    ])
    func malformedFilesAreNamedWithTheFix(file: String, expected: String) {
        #expect(lab.error(file) == expected)
    }

    @Test(arguments: [
        "0.0.0.0:7001", "192.168.0.1:7001", "[::]:7001", "127.0.0.01:7001", "127.1:7001", "example.org:80",
        "127.0.0.1.example.org:80",
    ])
    func nothingListensWhereOthersReachIt(address: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try lab.load(environment: ["ANY_LISTEN_ADDR": address]) }
        #expect(
            error.map(String.init(describing:))
                == "ANY_LISTEN_ADDR: listen.addr: \"\(address)\" can be reached by others, "
                + "who could do all that the owner can; use 127.0.0.1"
        )
    }

    @Test func variablesAndFlagsAreNamedToo() throws {
        let error = #expect(throws: ConfigurationError.self) { try lab.load(environment: ["ANY_PUSH_ENABLED": "on"]) }
        #expect("\(try #require(error))" == "ANY_PUSH_ENABLED: push.enabled must be true or false, not \"on\"")
        var flags = ConfigurationFlags()
        flags.mode = "x\u{1b}[2J"
        let second = #expect(throws: ConfigurationError.self) { try lab.load(flags: flags) }
        #expect("\(try #require(second))" == "--mode: mode: it has control characters; remove them")
    }

    @Test func aLongValueIsCutInTheError() throws {
        let error = try #require(lab.error("mode: \(String(repeating: "x", count: 500))\n"))
        #expect(error == "1:7: mode must be standalone or managed, not \(String(repeating: "x", count: 60))…")
    }

    @Test func aManagedServerKeepsNoWalletAndChoosesNoAccount() throws {
        #expect(
            lab.error("mode: managed\naccount: \(ConfigurationLab.accountId)\n")
                == "2:10: account: it can not be set in mode managed, where the host brings the account; leave it out"
        )
        #expect(lab.error("mode: managed\nauth: {walletPath: /w}\n")?.hasPrefix("2:20: auth.walletPath: ") == true)
        let error = #expect(throws: ConfigurationError.self) {
            try lab.load("mode: managed\n", environment: ["ANY_ACCOUNT": ConfigurationLab.accountId])
        }
        #expect(error?.source == .environment(variable: "ANY_ACCOUNT"))
        let client = try ServerConfiguration.load(
            environment: ["HOME": "/none", "ANY_MODE": "managed", "ANY_ACCOUNT": ConfigurationLab.accountId],
            workingDirectory: "/", isClient: true
        )
        #expect(client.account.value == ConfigurationLab.accountId)
    }

    @Test(arguments: [
        ("protocol: {version: 0}\n", "1:21: protocol.version must be a whole number from 1 to 4294967295, not 0"),
        (
            "protocol: {accepted: [8, x]}\n",
            "1:22: protocol.accepted must be a list, each a whole number from 1 to 4294967295, not a list"
        ),
        (
            "protocol: {accepted: []}\n",
            "1:22: protocol.accepted: no protocol version is accepted, so nobody could connect; name one at least"
        ),
        (
            "protocol: {version: 14, accepted: [8, 9]}\n",
            "1:35: protocol.accepted: the own protocol version 14 is not among those accepted, 8, 9; add it to them"
        ),
    ])
    func versionsThatMakeNoSenseAreSaid(file: String, expected: String) {
        #expect(lab.error(file) == expected)
    }

    @Test func aListHasItsLimit() {
        let list = (1...17).map { "a:\($0)" }.joined(separator: ", ")
        #expect(lab.error("push: {addrs: [\(list)]}\n") == "1:15: push.addrs: it has 17 entries, at most 16 are read")
    }

    @Test(arguments: [
        ("a", "address \"a\": the port is missing, expected host:port"),
        ("a:65536", "address \"a:65536\": \"65536\" is no port, expected 0 to 65535"),
        ("yamux://a:0", "address \"yamux://a:0\": port 0 is none that can be called"),
        ("yamux://u@h:1", "address \"yamux://u@h:1\": \"u@h\" is no host name or IP address"),
    ])
    func wrongAddressesAreSaid(address: String, problem: String) {
        #expect(lab.error("push: {addrs: [\"\(address)\"]}\n") == "1:15: push.addrs: \(problem)")
    }

    @Test(
        arguments: [
            ("10s", 10_000), ("500ms", 500), ("1m30s", 90_000), ("1.5h", 5_400_000), ("0", 0), (".5s", 500),
            ("1h1ms", 3_600_001),
            ("2us", nil), ("", nil), ("10", nil), ("s", nil), ("-1s", nil), ("1x", nil), ("1 s", nil), ("1..5s", nil),
            ("9999999999h", nil), (".s", nil), ("99999999999999999999s", nil),
        ] as [(String, Int64?)])
    func durationsAreGos(text: String, milliseconds: Int64?) {
        let duration = DurationText.parse(text)
        if text == "2us" {
            #expect(duration == .microseconds(2))
        } else {
            #expect(duration == milliseconds.map { .milliseconds($0) })
        }
    }
}
