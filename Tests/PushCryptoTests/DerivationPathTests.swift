import PushCrypto
import Testing

@Suite struct DerivationPathTests {
    static let seed = [UInt8](0..<16)

    @Test(
        arguments: [
            "", "M", "/", "m/", "m//0'", "m/0", "m/0'/", "m/'", "m/+0'", "m/-0'", "m/ 0'", "m/0' ", "m/0x1'", "m/٣'",
            "m/½'", "m/0h",
            "m/0''", "x/0'", "0'", "m0'", "m/0'\u{301}", "m\u{301}/0'", "mm",
        ]
    )
    func otherTextsAreNoSLIP10Path(_ path: String) {
        #expect(throws: DerivationError.malformedPath(path)) { try SLIP10Node(seed: Self.seed, path: path) }
    }

    @Test(arguments: ["2147483648'", "4294967295'", "4294967296'", "99999999999999999999'"])
    func largeIndicesAreOutOfRange(_ index: String) {
        #expect(throws: DerivationError.indexOutOfRange(index)) {
            try SLIP10Node(seed: Self.seed, path: "m/0'/\(index)")
        }
    }

    @Test func pathsAndChildrenAgree() throws {
        let node = try SLIP10Node(seed: Self.seed).child(0).child(2_147_483_647)
        let same = try SLIP10Node(seed: Self.seed, path: "m/000'/02147483647'")
        #expect(node.rawKey() == same.rawKey())
        #expect(node.chainCode() == same.chainCode())
        #expect(node.signingKey == same.signingKey)
        #expect(try SigningKey(seed: node.rawKey()) == node.signingKey)
        #expect(try SLIP10Node(seed: Self.seed, path: "m").rawKey() == SLIP10Node(seed: Self.seed).rawKey())
    }

    @Test(arguments: ["", "m/", "/", "M", "x/a", "SLIP-0021", "/m/a", "m\u{301}", "m\u{301}/a", "mm/a"])
    func otherTextsAreNoSLIP21Path(_ path: String) {
        #expect(throws: DerivationError.malformedPath(path)) { try SLIP21Node(seed: Self.seed, path: path) }
    }

    @Test func labelsAreTheBytesBetweenSlashes() throws {
        let master = SLIP21Node(seed: Self.seed)
        let paths: [(String, [String])] = [
            ("m", []), ("m/a", ["a"]), ("m/a/b", ["a", "b"]), ("m//", ["", ""]), ("m/a/", ["a", ""]),
            ("m//a", ["", "a"]),
            ("m/a b/é", ["a b", "é"]), ("m/a/\u{301}b", ["a", "\u{301}b"]),
        ]
        for (path, labels) in paths {
            let node = try SLIP21Node(seed: Self.seed, path: path)
            let expected = labels.reduce(master) { $0.child($1) }
            #expect(node.symmetricKey == expected.symmetricKey, "\(path)")
            #expect(node.chainCode() == expected.chainCode(), "\(path)")
        }
    }

    @Test func seedsOfAnyLengthAreTaken() {
        for count in [0, 1, 31, 32, 64, 127, 128, 129, 1000] {
            let seed = [UInt8](repeating: 9, count: count)
            #expect(SLIP10Node(seed: seed).rawKey() == SLIP10Node(seed: LazyCollection(seed)).rawKey())
            #expect(SLIP10Node(seed: seed).rawKey() != SLIP21Node(seed: seed).symmetricKey.rawBytes())
        }
    }
}
