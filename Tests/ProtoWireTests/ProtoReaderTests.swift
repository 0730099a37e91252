import ProtoWire
import Testing

@Suite struct ProtoReaderTests {
    private func firstVarint(_ bytes: [UInt8]) throws -> UInt64 {
        var reader = ProtoReader(bytes)
        _ = try reader.nextField()
        return try reader.varint()
    }

    @Test(arguments: [
        ([0x00], 0), ([0x7f], 127), ([0x80, 0x01], 128), ([0xff, 0xff, 0xff, 0xff, 0x0f], UInt64(UInt32.max)),
        // Longer than needed, as a careless writer may do.
        ([0x81, 0x80, 0x00], 1),
        ([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], UInt64.max),
        // Bits past 64 are dropped.
        ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f], 1 << 63),
    ] as [([UInt8], UInt64)])
    func aVarintIsReadWhateverItsLength(_ bytes: [UInt8], _ value: UInt64) throws {
        #expect(try firstVarint([0x08] + bytes) == value)
    }

    @Test func aVarintOfElevenBytesIsRefused() {
        let eleven = [UInt8](repeating: 0x80, count: 10) + [0x01]
        #expect(throws: ProtoError.varintOverflow) { try firstVarint([0x08] + eleven) }
        #expect(throws: ProtoError.varintOverflow) { try firstVarint(eleven) }
    }

    @Test(arguments: [
        [0x08], [0x08, 0x80], [0x80], [0x09, 1, 2, 3, 4, 5, 6, 7], [0x0d, 1, 2, 3], [0x0a], [0x0a, 2, 1],
        [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], [0x0b, 0x08], [0x0b],
    ] as [[UInt8]])
    func whatReachesPastTheEndIsTruncated(_ bytes: [UInt8]) {
        #expect(throws: ProtoError.truncated) {
            var reader = ProtoReader(bytes)
            while try reader.nextField() != nil { try reader.skip() }
        }
    }

    @Test func fieldNumbersHaveTheirBounds() throws {
        #expect(throws: ProtoError.illegalFieldNumber(0)) { try firstVarint([0x00, 0x01]) }
        #expect(throws: ProtoError.illegalFieldNumber(1 << 29)) {
            try firstVarint([0x80, 0x80, 0x80, 0x80, 0x10, 0x01])
        }
        var reader = ProtoReader([0xf8, 0xff, 0xff, 0xff, 0x0f, 0x05])
        #expect(try reader.nextField() == (1 << 29) - 1)
        #expect(try reader.varint() == 5)
    }

    @Test func wireTypesSixAndSevenAreRefused() {
        #expect(throws: ProtoError.illegalWireType(6)) { try firstVarint([0x0e]) }
        #expect(throws: ProtoError.illegalWireType(7)) { try firstVarint([0x0f]) }
    }

    @Test func aKnownFieldMustHaveItsType() {
        #expect(throws: ProtoError.wrongWireType(field: 1, found: .lengthDelimited)) { try firstVarint([0x0a, 0x00]) }
        #expect(throws: ProtoError.wrongWireType(field: 1, found: .varint)) {
            var reader = ProtoReader([0x08, 0x01])
            _ = try reader.nextField()
            _ = try reader.bytes()
        }
    }

    @Test(arguments: [
        [0x10, 0x96, 0x01],
        [0x11, 1, 2, 3, 4, 5, 6, 7, 8],
        [0x12, 0x02, 0xff, 0xff],
        [0x15, 1, 2, 3, 4],
        // A group with a group, a string and a number in it.
        [0x13, 0x1b, 0x0a, 0x01, 0x00, 0x1c, 0x08, 0x01, 0x14],
    ] as [[UInt8]])
    func unknownFieldsOfEveryTypeArePassedOver(_ bytes: [UInt8]) throws {
        var reader = ProtoReader(bytes + [0x08, 0x2a])
        #expect(try reader.nextField() == 2)
        try reader.skip()
        #expect(try reader.nextField() == 1)
        #expect(try reader.varint() == 42)
        #expect(try reader.nextField() == nil)
    }

    @Test func aStrayEndGroupIsRefused() {
        #expect(throws: ProtoError.strayEndGroup) { try firstVarint([0x0c]) }
        #expect(throws: ProtoError.strayEndGroup) {
            var reader = ProtoReader([0x0b, 0x14])
            _ = try reader.nextField()
            try reader.skip()
        }
    }

    @Test func groupsMayNestOnlySoDeep() throws {
        let depth = ProtoReader.maximumGroupDepth
        var reader = ProtoReader([UInt8](repeating: 0x0b, count: depth) + [UInt8](repeating: 0x0c, count: depth))
        _ = try reader.nextField()
        try reader.skip()
        #expect(try reader.nextField() == nil)
        // A hostile depth must not run the stack out.
        for count in [depth + 1, 1_000_000] {
            #expect(throws: ProtoError.groupsTooDeep) {
                var reader = ProtoReader([UInt8](repeating: 0x0b, count: count) + [0x0c])
                _ = try reader.nextField()
                try reader.skip()
            }
        }
    }

    @Test func enumsComePackedOrNot() throws {
        var reader = ProtoReader([0x12, 0x02, 0x01, 0x00, 0x10, 0x07, 0x12, 0x00])
        var values: [Int32] = []
        while try reader.nextField() != nil { try reader.appendEnums(to: &values) }
        #expect(values == [1, 0, 7])
        let broken: [([UInt8], ProtoError)] = [
            ([0x12, 0x01, 0x80], .truncated), ([0x15, 1, 2, 3, 4], .wrongWireType(field: 2, found: .fixed32)),
        ]
        for (bytes, error) in broken {
            #expect(throws: error) {
                var reader = ProtoReader(bytes)
                var values: [Int32] = []
                _ = try reader.nextField()
                try reader.appendEnums(to: &values)
            }
        }
    }

    @Test func numbersAreCutToTheirWidth() throws {
        let bytes: [UInt8] = [0x08] + [UInt8](repeating: 0xff, count: 9) + [0x01]
        var reader = ProtoReader(bytes + bytes + bytes)
        _ = try reader.nextField()
        #expect(try reader.int32() == -1)
        _ = try reader.nextField()
        #expect(try reader.uint32() == .max)
        _ = try reader.nextField()
        #expect(try reader.int64() == -1)
    }

    @Test func bytesAreAViewOfTheInput() throws {
        let buffer: [UInt8] = [9, 9, 0x0a, 0x03, 1, 2, 3, 9]
        var reader = ProtoReader(buffer[2..<7])
        _ = try reader.nextField()
        let slice = try reader.slice()
        #expect(slice == [1, 2, 3])
        #expect(slice.startIndex == 4)
        #expect(try reader.nextField() == nil)
    }
}
