import ProtoWire
import Testing

@Suite struct WireStringTests {
    @Test func bytesThatAreNotTextAreKept() throws {
        let bytes: [UInt8] = [0x61, 0xff, 0x62]
        var writer = ProtoWriter()
        writer.string(1, WireString(bytes: bytes))
        var reader = ProtoReader(writer.bytes)
        _ = try reader.nextField()
        let text = try reader.string()
        #expect(text.bytes == bytes)
        #expect(text.string == "a\u{fffd}b")
        #expect("\(text)" == text.string)
    }

    @Test func textIsItsUTF8() {
        #expect(WireString("é").bytes == [0xc3, 0xa9])
        #expect(("é" as WireString) == WireString(bytes: [0xc3, 0xa9]))
        #expect(WireString("").isEmpty)
        #expect(!WireString("x").isEmpty)
        // Two spellings of one letter are different bytes, so different strings.
        #expect(WireString("e\u{301}") != WireString("\u{e9}"))
    }
}
