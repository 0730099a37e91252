import AnySyncWire
import TestSupport
import Testing

@Suite struct DRPCPacketReaderTests {
    private func packet(
        _ kind: DRPCKind, _ stream: UInt64, _ message: UInt64, _ body: [UInt8] = [], done: Bool = true,
        control: Bool = false
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        DRPCFrameHeader(
            kind, isControl: control, isDone: done, stream: stream, message: message, length: UInt64(body.count)
        ).encode(to: &bytes)
        return bytes + body
    }

    private func read(
        _ bytes: [UInt8], limits: DRPCLimits = DRPCLimits(), encoding: MessageEncoding = .none
    ) throws(DRPCError) -> [DRPCPacket] {
        var reader = DRPCPacketReader(limits: limits, encoding: encoding)
        var input = bytes[...]
        var packets: [DRPCPacket] = []
        while let packet = try reader.next(&input) { packets.append(packet) }
        return packets
    }

    private func readAll(_ pieces: [ArraySlice<UInt8>]) -> (packets: [DRPCPacket], error: DRPCError?) {
        var reader = DRPCPacketReader()
        var packets: [DRPCPacket] = []
        do {
            for var piece in pieces {
                while let packet = try reader.next(&piece) { packets.append(packet) }
            }
            return (packets, nil)
        } catch {
            return (packets, error)
        }
    }

    @Test func aPacketInOnePieceIsAViewOfTheInput() throws {
        let bytes = [9, 9] + packet(.message, 1, 2, [1, 2, 3]) + packet(.closeSend, 1, 3)
        var reader = DRPCPacketReader()
        var input = bytes[2...]
        let first = try #require(try reader.next(&input))
        #expect(first.body == [1, 2, 3])
        #expect(first.body.startIndex == 6)
        #expect(try reader.next(&input)?.kind == .closeSend)
        #expect(try reader.next(&input) == nil)
        #expect(!reader.isInsidePacket)
    }

    @Test func aReaderKnowsWhetherItIsInsideAPacket() throws {
        let bytes = packet(.message, 1, 2, [1], done: false) + packet(.message, 1, 2, [2])
        var reader = DRPCPacketReader()
        for (index, byte) in bytes.enumerated() {
            #expect(reader.isInsidePacket == (index > 0))
            var input = [byte][...]
            #expect((try reader.next(&input) != nil) == (index == bytes.count - 1))
        }
        #expect(!reader.isInsidePacket)
    }

    @Test func limitsAreCheckedOnWhatIsDeclared() {
        var limits = DRPCLimits()
        limits.maximumMessageSize = 100
        limits.maximumNameLength = 10
        limits.maximumOtherSize = 20
        let declared: [(DRPCKind, Int)] = [
            (.message, 100), (.invoke, 10), (.error, 20), (.invokeMetadata, 20), (.close, 20),
        ]
        for (kind, limit) in declared {
            var bytes: [UInt8] = []
            DRPCFrameHeader(kind, stream: 1, message: 1, length: UInt64(limit)).encode(to: &bytes)
            #expect((try? read(bytes, limits: limits)) == [])
            // Nothing but the header is needed to refuse it.
            for length in [UInt64(limit) + 1, .max] {
                bytes = []
                DRPCFrameHeader(kind, stream: 1, message: 1, length: length).encode(to: &bytes)
                #expect(throws: DRPCError.packetTooLarge(kind: kind, size: length, limit: limit)) {
                    try read(bytes, limits: limits)
                }
            }
        }
    }

    @Test func piecesCountTogether() {
        var limits = DRPCLimits()
        limits.maximumMessageSize = 100
        let half = [UInt8](repeating: 0, count: 50)
        let fits = packet(.message, 1, 1, half, done: false) + packet(.message, 1, 1, half)
        #expect((try? read(fits, limits: limits))?.first?.body.count == 100)
        let over = packet(.message, 1, 1, half, done: false) + packet(.message, 1, 1, half + [0], done: false)
        #expect(throws: DRPCError.packetTooLarge(kind: .message, size: 101, limit: 100)) {
            try read(over, limits: limits)
        }
        // Pieces of a packet that was dropped do not.
        let dropped = packet(.message, 1, 1, half, done: false) + packet(.message, 1, 2, half + half)
        #expect((try? read(dropped, limits: limits))?.map(\.body.count) == [100])
    }

    @Test func aCompressedBodyMayBeLongerThanItsMessage() {
        var limits = DRPCLimits()
        limits.maximumMessageSize = 100
        let longest = SnappyBlock.maximumCompressedLength(100)
        let body = [UInt8](repeating: 0, count: longest)
        #expect((try? read(packet(.message, 1, 1, body), limits: limits, encoding: .snappy))?.count == 1)
        #expect(throws: DRPCError.self) {
            try read(packet(.message, 1, 1, body + [0]), limits: limits, encoding: .snappy)
        }
    }

    @Test func idsGrow() throws {
        #expect(try read(packet(.message, 1, 5) + packet(.message, 3, 1) + packet(.message, 3, 7)).count == 3)
        let wrong: [([UInt8], DRPCError)] = [
            (packet(.message, 2, 2) + packet(.message, 1, 3), .idsNotGrowing(stream: 1, message: 3)),
            (packet(.message, 1, 2) + packet(.message, 1, 1), .idsNotGrowing(stream: 1, message: 1)),
            (packet(.message, 1, 2) + packet(.message, 1, 2), .idsNotGrowing(stream: 1, message: 2)),
            (packet(.message, .max, .max) + packet(.message, .max, .max), .idsNotGrowing(stream: .max, message: .max)),
            (packet(.message, 0, 1), .zeroId(stream: 0, message: 1)),
            (packet(.message, 2, 0), .zeroId(stream: 2, message: 0)),
            (
                packet(.message, 1, 2, done: false) + packet(.error, 1, 2),
                .kindChanged(from: .message, to: .error)
            ),
            ([5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80], .varintTooLong),
        ]
        for (bytes, error) in wrong {
            #expect(throws: error) { try read(bytes) }
        }
    }

    @Test func anyPiecesOfAPacketMarkIt() throws {
        let bytes = packet(.init(rawValue: 20), 1, 1, done: false, control: true) + packet(.init(rawValue: 20), 1, 1)
        #expect(try read(bytes).map(\.isControl) == [true])
    }

    @Test func anyBytesGiveTheSamePacketsWhereverTheyAreCut() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            var bytes: [UInt8] = []
            var (stream, message): (UInt64, UInt64) = (1, 1)
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let kind = DRPCKind(rawValue: .random(in: 1...7, using: &random))
                let body = random.bytes(Int.random(in: 0...60, using: &random))
                bytes += packet(kind, stream, message, body, done: Bool.random(using: &random))
                if Int.random(in: 0...3, using: &random) == 0 { (stream, message) = (stream + 200, 0) }
                message += UInt64.random(in: 0...150, using: &random)
            }
            let whole = readAll([bytes[...]])
            let cut = readAll(random.pieces(bytes))
            #expect(cut.packets == whole.packets)
            #expect(cut.error == whole.error)
        }
    }
}
