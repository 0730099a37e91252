import FoundationEssentials
import PushCrypto
import Testing

@Suite struct Base64Tests {
    @Test func everyLengthRoundTrips() {
        for count in 0...100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
            #expect(Base64.decode(Data(bytes).base64EncodedString()) == bytes)
        }
    }

    // RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
    ])
    func theRFCsVectorsHold(_ text: String, _ clear: String) {
        #expect(Base64.decode(text) == Array(clear.utf8))
    }

    @Test func lineBreaksAndSpareBitsAreTaken() {
        #expect(Base64.decode("Zm\n9v\r\nYg==\n") == Array("foob".utf8))
        #expect(Base64.decode("Zh==") == Array("f".utf8))
        #expect(Base64.decode("\r\n") == [])
    }

    @Test(
        arguments: [
            "=", "==", "====", "A", "AA", "AAA", "A===", "AA=", "AA=A", "A=AA", "=AAA", "AA==AAAA", "AAAA=", "AAAA==",
            "AAAA====", "AAA\u{0}", "AAé=", " AAAA", "AA AA", "AA_-", "%%%%", "AAAA\t",
        ]
    )
    func whatIsNoStandardBase64IsRefused(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
