import Testing

@testable import AnySyncNet

@Suite struct AddressTests {
    @Test(arguments: [
        ("yamux://node.example:4242", ConnectionKind.yamux, "node.example", UInt16(4242)),
        ("tls+yamux://10.0.0.1:1", .tlsYamux, "10.0.0.1", 1),
        ("quic://[::1]:65535", .quic, "::1", 65535),
        ("yamux://[fe80::1%eth0]:5", .yamux, "fe80::1%eth0", 5),
    ])
    func addressesWithAScheme(text: String, kind: ConnectionKind, host: String, port: UInt16) throws {
        let address = try Address(text)
        #expect(address == Address(kind: kind, host: host, port: port))
        #expect(address.description == text)
    }

    @Test func bareAddresses() throws {
        #expect(try Address("localhost:80") == Address(kind: nil, host: "localhost", port: 80))
        #expect(try Address("[::1]:0").description == "[::1]:0")
    }

    @Test(arguments: [
        ("http://a:1", AddressFormatError.Problem.unknownScheme("http")), ("://a:1", .unknownScheme("")),
        ("yamux://[::1:80", .unclosedBracket), ("yamux://::1:80", .bareIPv6), ("yamux://host", .missingPort),
        ("yamux://[::1]", .missingPort), ("yamux://[::1]80", .missingPort), ("", .missingPort),
        ("host:", .badPort("")), ("host:65536", .badPort("65536")), ("host:-1", .badPort("-1")),
        ("host:8x", .badPort("8x")),
        (":80", .badHost("")), ("ho st:80", .badHost("ho st")), ("user@host:80", .badHost("user@host")),
        ("[abc]:80", .badHost("abc")), ("höst:80", .badHost("höst")),
    ])
    func textsThatAreNoAddress(text: String, problem: AddressFormatError.Problem) {
        #expect(throws: AddressFormatError(text: text, problem: problem)) { try Address(text) }
    }
}
