import AnySyncNet
import PushCrypto
import SecretFiles
import TestSupport
import Testing

@testable import AnyServer

/// When the production network's push node is used: never without its network. Nothing here connects to anything.
@Suite struct PushPairingTests {
    private static let otherNetworkId = "N7ey8LYCpcXyhGVTwfHPADDoTYHmggegxpdeaADDvNHcPy3i"

    private let lab: ConfigurationLab

    init() throws {
        lab = try ConfigurationLab()
    }

    @Test func theProductionNodeIsAsTheContractHasIt() throws {
        #expect(
            try PeerId(PushSettings.Production.peerId).text == "12D3KooWMATrdteJNq2YvYhtq3RDeWxq6RVXDAr36MsGd5RJzXDn")
        #expect(PushSettings.Production.address.description == "yamux://anytype-push-server.anytype.io:443")
        #expect(
            try PublicKey(networkId: NetworkChoice.productionNetworkId).networkId == NetworkChoice.productionNetworkId)
    }

    @Test func withNeitherPushNorNetworkItIsTheProductionNode() throws {
        let push = try lab.load().push
        #expect(push.node?.peerId.text == PushSettings.Production.peerId)
        #expect(push.node?.addresses == [PushSettings.Production.address])
        #expect(push.peerId.source == .pairedWithNetwork)
        #expect(push.addresses.source == .pairedWithNetwork)
        #expect(push.isEnabled)
    }

    @Test(arguments: [
        "network: {nodeconfPath: /x}", "network:\n  nodeconf: |\n    networkId: N\n",
    ])
    func withAnyNetworkNamedItIsNot(file: String) throws {
        let configuration = try lab.load(file)
        #expect(configuration.push.node == nil)
        #expect(configuration.push.peerId == Sourced(nil))
        #expect(!configuration.push.isEnabled)
        #expect(configuration.warnings == [])
    }

    @Test func aNetworkOfTheEnvironmentCounts() throws {
        #expect(try lab.load(environment: ["ANY_NETWORK_NODECONF_PATH": "/x"]).push.node == nil)
    }

    @Test func halfANodeIsLeftAloneAndSaid() throws {
        let first = try lab.load("push: {peerId: \(ConfigurationLab.peerId)}")
        #expect(first.push.node == nil)
        #expect(first.push.addresses == Sourced([]))
        let place = ConfigurationSource.file(path: lab.path, line: 1, column: 16)
        #expect(first.warnings == [.pushHalfConfigured(given: "push.peerId", missing: "push.addrs", place)])
        let second = try lab.load(environment: ["ANY_PUSH_ADDRS": "a:1"])
        #expect(second.push.node == nil)
        #expect(second.push.peerId == Sourced(nil))
        #expect(
            second.warnings.map(\.description) == [
                "ANY_PUSH_ADDRS: push.addrs is set and push.peerId is not, so push is off; set both, or neither"
            ]
        )
    }

    @Test(arguments: [
        ("yamux://a:1", true), ("yamux://a:1\", \"a:2", false), ("a:1", false), ("tls+yamux://a:1", false),
    ])
    func encryptionThatNoAddressHasIsSaid(addresses: String, isOdd: Bool) throws {
        let push = "push: {requireEncrypted: true, peerId: \(ConfigurationLab.peerId), addrs: [\"\(addresses)\"]}\n"
        let configuration = try lab.load("network: {nodeconfPath: /x}\n" + push)
        #expect(configuration.push.requiresEncryption.value)
        let place = ConfigurationSource.file(path: lab.path, line: 2, column: 26)
        #expect(configuration.warnings == (isOdd ? [.encryptionWithoutAddress(place)] : []))
        // The production network's node speaks yamux only.
        let production = try lab.load(environment: ["ANY_PUSH_REQUIRE_ENCRYPTED": "true"])
        #expect(
            production.warnings == [.encryptionWithoutAddress(.environment(variable: "ANY_PUSH_REQUIRE_ENCRYPTED"))])
    }

    @Test(arguments: [
        ("null", true, true), ("true", true, true), ("false", true, false), ("null", false, false),
        ("true", false, false),
        ("false", false, false),
    ])
    func enabledHasThreeStates(enabled: String, hasNode: Bool, expected: Bool) throws {
        let node = hasNode ? ", peerId: \(ConfigurationLab.peerId), addrs: [\"a:1\"]" : ""
        let configuration = try lab.load("network: {nodeconfPath: /x}\npush: {enabled: \(enabled)\(node)}\n")
        #expect((configuration.push.node != nil) == expected)
        #expect(configuration.push.isEnabled == (enabled == "true" || enabled == "null" && hasNode))
        let place = ConfigurationSource.file(path: lab.path, line: 2, column: 17)
        let isOdd = enabled == "true" && !hasNode
        #expect(configuration.warnings == (isOdd ? [.pushEnabledWithoutNode(place)] : []))
    }

    @Test func aNodeThatIsOffIsOffWithTheProductionNetworkToo() throws {
        let push = try lab.load(environment: ["ANY_PUSH_ENABLED": "false"]).push
        #expect(push.node == nil)
        #expect(push.peerId.value?.text == PushSettings.Production.peerId)
    }

    @Test func aNearlyRightVariableIsDoubted() throws {
        let warnings = try lab.load(environment: [
            "ANY_PUSH_PEERID": "x", "ANY_PUSH_TOKEN_FILE": "y", "PUSH_ADDRS": "z",
        ])
        .warnings
        #expect(warnings == [.unknownVariable("ANY_PUSH_PEERID", suggestion: "ANY_PUSH_PEER_ID")])
    }

    @Test func theNetworkIsThatOfTheConfiguration() throws {
        let path = try lab.folder.write("id: x\nnetworkId: \(Self.otherNetworkId)\nnodes: []\n", to: "conf")
        var configuration = try lab.load("network: {nodeconfPath: \(path)}")
        let choice = try configuration.joinNetwork(account: nil)
        #expect(choice.networkId == Self.otherNetworkId)
        #expect(choice.origin == .configuration(.file(path: lab.path, line: 1, column: 25)))
        var inline = try lab.load("network:\n  nodeconf: |\n    networkId: \(Self.otherNetworkId)\n")
        #expect(try inline.joinNetwork(account: nil).networkId == Self.otherNetworkId)
    }

    @Test func withoutOneItIsTheAccountsOrTheProductionNetwork() throws {
        let directory = AccountDirectory(path: lab.folder.path("account"))
        try directory.create()
        var configuration = try lab.load()
        #expect(try configuration.joinNetwork(account: directory).origin == .production)
        #expect(configuration.push.node != nil)
        try lab.folder.write("{\"networkId\": \"\(NetworkChoice.productionNetworkId)\"}", to: "account/network.json")
        #expect(try configuration.joinNetwork(account: directory).origin == .account(path: directory.networkPath))
        #expect(configuration.push.node != nil)
        #expect(configuration.warnings == [])
        try lab.folder.write("{\"networkId\": \"\(Self.otherNetworkId)\"}", to: "account/network.json")
        #expect(try configuration.joinNetwork(account: directory).networkId == Self.otherNetworkId)
        #expect(configuration.push.node == nil)
        #expect(configuration.warnings == [.noNodeForNetwork(Self.otherNetworkId)])
    }

    @Test func aNodeThatWasNamedStaysOnAnyNetwork() throws {
        let directory = AccountDirectory(path: lab.folder.path("account"))
        try directory.create()
        try lab.folder.write("{\"networkId\": \"\(Self.otherNetworkId)\"}", to: "account/network.json")
        var configuration = try lab.load("push: {peerId: \(ConfigurationLab.peerId), addrs: [\"a:1\"]}")
        _ = try configuration.joinNetwork(account: directory)
        #expect(configuration.push.node?.addresses.map(\.description) == ["a:1"])
        #expect(configuration.warnings == [])
    }

    @Test func ofTwoNodeConfigurationsOneCounts() throws {
        let file = "network:\n  nodeconfPath: /x\n  nodeconf: |\n    networkId: N\n"
        let first = try lab.load(file)
        #expect(first.network.nodeConfPath == Sourced(nil))
        #expect(first.network.nodeConf.value == "networkId: N\n")
        let second = try lab.load(file, environment: ["ANY_NETWORK_NODECONF_PATH": "/y"])
        #expect(second.network.nodeConfPath.value == "/y")
        #expect(second.network.nodeConf == Sourced(nil))
        for configuration in [first, second] {
            #expect(configuration.warnings.count == 1)
            #expect(configuration.push.node == nil)
        }
    }

    @Test(arguments: [
        ("", "1:1: networkId: a node configuration must have it; take a whole one"),
        ("[]", "1:1: networkId: a node configuration must have it; take a whole one"),
        ("a: 1\n", "1:1: networkId: a node configuration must have it; take a whole one"),
        ("networkId: [N]\n", "1:1: networkId: a node configuration must have it; take a whole one"),
        ("a: 1\nnetworkId: N123\n", "2:12: networkId must be a network id, N…, not N123"),
        (
            "networkId: \(ConfigurationLab.accountId)\n",
            "1:12: networkId must be a network id, N…, not \(ConfigurationLab.accountId)"
        ),
        ("a: [\n", "2:1: not valid YAML: did not find expected node content"),
    ])
    func aBrokenNodeConfigurationIsNamed(text: String, problem: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try NodeConf(Array(text.utf8), name: "conf") }
        #expect(error.map(String.init(describing:)) == "conf:\(problem)")
    }

    @Test func aMissingNodeConfigurationIsNamedWithWhoNamedIt() throws {
        var configuration = try lab.load(environment: ["ANY_NETWORK_NODECONF_PATH": "none"])
        let expected = ConfigurationError(
            .missingFile(path: "/work/none"), at: .environment(variable: "ANY_NETWORK_NODECONF_PATH")
        )
        #expect(throws: expected) { try configuration.joinNetwork(account: nil) }
    }
}
