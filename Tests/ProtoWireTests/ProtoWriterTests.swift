import ProtoWire
import Testing

@Suite struct ProtoWriterTests {
    @Test func defaultsAreLeftOut() {
        var writer = ProtoWriter()
        writer.varint(1, 0)
        writer.int32(2, 0)
        writer.int64(3, 0)
        writer.bytes(4, [])
        writer.string(5, "" as String)
        writer.string(6, WireString(bytes: []))
        writer.packedEnums(7, [])
        #expect(writer.bytes.isEmpty)
    }

    @Test func presentMessagesAndElementsAreWrittenEvenWhenEmpty() {
        var writer = ProtoWriter()
        writer.element(1, [])
        writer.message(2) { _ in }
        #expect(writer.bytes == [0x0a, 0x00, 0x12, 0x00])
    }

    @Test func valuesAreWrittenAsTheFormatAsks() {
        var writer = ProtoWriter(reserving: 64)
        writer.varint(1, 300)
        writer.string(2, "hé" as String)
        writer.int32(3, -1)
        writer.packedEnums(16, [1, 0, 300])
        writer.message(1000) { $0.int64(1, 7) }
        let expected: [[UInt8]] = [
            [0x08, 0xac, 0x02], [0x12, 0x03, 0x68, 0xc3, 0xa9],
            [0x18] + [UInt8](repeating: 0xff, count: 9) + [0x01],
            [0x82, 0x01, 0x04, 0x01, 0x00, 0xac, 0x02], [0xc2, 0x3e, 0x02, 0x08, 0x07],
        ]
        #expect(writer.bytes == expected.flatMap { $0 })
    }

    @Test(arguments: [1, 127, 128, 16383, 16384, UInt64(UInt32.max), 1 << 63, UInt64.max])
    func aNumberIsReadAsItWasWritten(_ value: UInt64) throws {
        var writer = ProtoWriter()
        writer.varint(536_870_911, value)
        writer.int64(1, Int64(bitPattern: value))
        var reader = ProtoReader(writer.bytes)
        #expect(try reader.nextField() == 536_870_911)
        #expect(try reader.varint() == value)
        #expect(try reader.nextField() == 1)
        #expect(try reader.int64() == Int64(bitPattern: value))
        #expect(try reader.nextField() == nil)
    }

    @Test func enumsAreReadAsTheyWereWritten() throws {
        let values: [Int32] = [0, 1, -1, .max, .min, 7]
        var writer = ProtoWriter()
        writer.packedEnums(2, values)
        var reader = ProtoReader(writer.bytes)
        var found: [Int32] = []
        #expect(try reader.nextField() == 2)
        try reader.appendEnums(to: &found)
        #expect(found == values)
    }
}
