import AnySyncWire
import TestSupport
import Testing

@Suite struct SnappyBlockTests {
    @Test func whatIsCompressedComesBack() throws {
        var random = SeededGenerator(seed: 5)
        for count in [0, 1, 2, 59, 60, 61, 255, 256, 65_535, 65_536, 65_537, 200_000] {
            for bytes in [random.bytes(count), [UInt8](repeating: 0x61, count: count)] {
                let block = SnappyBlock.compress(bytes)
                #expect(block.count <= SnappyBlock.maximumCompressedLength(count))
                #expect(try SnappyBlock.decompress(block[...], limit: count) == bytes)
                #expect(try SnappyBlock.decompress(([9] + block + [9])[1...block.count], limit: count) == bytes)
            }
        }
        #expect(SnappyBlock.compress([]) == [0])
    }

    @Test func theLimitIsOnTheDeclaredLength() {
        let block = SnappyBlock.compress([UInt8](repeating: 1, count: 1000))
        #expect(throws: SnappyError.tooLarge(declared: 1000, limit: 999)) {
            try SnappyBlock.decompress(block[...], limit: 999)
        }
        #expect(throws: SnappyError.tooLarge(declared: Int(UInt32.max), limit: 1 << 20)) {
            try SnappyBlock.decompress([0xff, 0xff, 0xff, 0xff, 0x0f], limit: 1 << 20)
        }
    }

    @Test func aLengthThatNoBlockReachesIsMalformed() {
        // 1 MiB out of four bytes: refused without giving it room.
        #expect(throws: SnappyError.malformed) {
            try SnappyBlock.decompress([0x80, 0x80, 0x40, 0x00], limit: 1 << 20)
        }
    }

    @Test func blocksThatAreCutShortAreMalformed() {
        let block = SnappyBlock.compress((0..<2000).map { UInt8(truncatingIfNeeded: $0 * $0) })
        for count in 0..<block.count {
            #expect(throws: SnappyError.self) { try SnappyBlock.decompress(block.prefix(count), limit: 4096) }
        }
    }

    @Test func hostileBlocksGiveAnErrorOrWhatTheyDeclare() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<2000 {
            var block = random.bytes(Int.random(in: 0...40, using: &random))
            if !block.isEmpty { block[0] = UInt8.random(in: 0...127, using: &random) }
            let bytes = try? SnappyBlock.decompress(block[...], limit: 100)
            #expect(bytes == nil || bytes?.count == block.first.map(Int.init))
        }
    }
}
