import AnySyncWire
import TestSupport
import Testing

@Suite struct YamuxHeaderTests {
    @Test func aHeaderIsTwelveBytesBigEndian() throws {
        let header = YamuxHeader(.windowUpdate, flags: [.syn, .rst], stream: 0x0102_0304, length: 0xa0b0_c0d0)
        var bytes: [UInt8] = []
        header.encode(to: &bytes)
        #expect(bytes == [0, 1, 0, 9, 1, 2, 3, 4, 0xa0, 0xb0, 0xc0, 0xd0])
        #expect(YamuxHeader(decoding: bytes[...]) == header)
        #expect(YamuxHeader(decoding: ([0xff] + bytes + [0xff])[1...]) == header)
        #expect(YamuxHeader(decoding: bytes.dropLast()) == nil)
    }

    @Test func everyTwelveBytesAreAHeader() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let bytes = random.bytes(12)
            var again: [UInt8] = []
            YamuxHeader(decoding: bytes[...])?.encode(to: &again)
            #expect(again == bytes)
        }
    }
}
