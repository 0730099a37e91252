import AnySyncWire
import ProtoWire
import Testing

@Suite struct HandshakeFrameTests {
    private let all: [HandshakeFrame.Kind] = [.credentials, .ack, .proto]

    @Test func aFrameIsTypeThenSizeLittleEndian() {
        let body = [UInt8](repeating: 7, count: 0x0102)
        #expect(HandshakeFrame.encode(.proto, body) == [3, 0x02, 0x01, 0, 0] + body)
        #expect(HandshakeAck(.invalidCredentials).frame == [2, 2, 0, 0, 0, 0x08, 2])
        #expect(HandshakeAck(.null).frame == [2, 0, 0, 0, 0])
    }

    @Test func bytesAfterTheFrameStay() throws {
        var reader = HandshakeFrameReader()
        var input: ArraySlice<UInt8> = [2, 2, 0, 0, 0, 0x08, 7, 0, 1, 0, 1]
        let frame = try reader.next(&input, accepting: all)
        #expect(frame?.kind == .ack)
        #expect(frame?.body == [0x08, 7])
        #expect(input == [0, 1, 0, 1])
    }

    @Test func framesComeOutByteByByteAndGlued() throws {
        let bytes = HandshakeFrame.encode(.credentials, [1, 2, 3]) + HandshakeAck(.null).frame
        var reader = HandshakeFrameReader()
        var frames: [HandshakeFrame] = []
        for byte in bytes {
            var input = [byte][...]
            if let frame = try reader.next(&input, accepting: all) { frames.append(frame) }
            #expect(input.isEmpty)
        }
        #expect(frames.map(\.kind) == [.credentials, .ack])
        #expect(frames.map { Array($0.body) } == [[1, 2, 3], []])
        var glued = bytes[...]
        #expect(try reader.next(&glued, accepting: all)?.kind == .credentials)
        #expect(try reader.next(&glued, accepting: all)?.kind == .ack)
        #expect(glued.isEmpty)
    }

    @Test func theTypeIsLookedAtBeforeTheSize() {
        for type: UInt8 in [0, 1, 4, 22, 255] {
            var reader = HandshakeFrameReader()
            var input: ArraySlice<UInt8> = [type, 0xff, 0xff, 0xff, 0xff]
            #expect(throws: HandshakeFrameError.unexpectedType(type)) {
                try reader.next(&input, accepting: [.ack, .proto])
            }
        }
    }

    @Test func aBodyMayTake200KiBAndNoMore() throws {
        var reader = HandshakeFrameReader()
        var tooLong: ArraySlice<UInt8> = [1, 0x01, 0x20, 0x03, 0x00]
        #expect(throws: HandshakeFrameError.tooLarge(declared: 204_801)) { try reader.next(&tooLong, accepting: all) }
        reader = HandshakeFrameReader()
        var longest = HandshakeFrame.encode(.credentials, [UInt8](repeating: 9, count: 204_800))[...]
        #expect(try reader.next(&longest, accepting: all)?.body.count == 204_800)
        #expect(longest.isEmpty)
    }

    @Test func messagesKeepWhatTheyDoNotKnow() throws {
        let bytes: [UInt8] = [0x08, 9, 0x12, 1, 5, 0x18, 0xf0, 0xa2, 0x04, 0x22, 2, 0xff, 0x61, 0x2a, 1, 0]
        let credentials = try Credentials(decoding: bytes[...])
        #expect(credentials.kind.rawValue == 9)
        #expect(credentials.payload == [5])
        #expect(credentials.version == 70000)
        #expect(credentials.clientVersion.bytes == [0xff, 0x61])
        #expect(credentials.encoded == bytes.dropLast(3))
        #expect(try HandshakeAck(decoding: [0x08, 99]).code.rawValue == 99)
        #expect(try ProtoOffer(decoding: [0x08, 5, 0x10, 7, 0x12, 1, 1]).encodings == [7, 1])
        #expect(throws: ProtoError.truncated) { try SignedPeerIds(decoding: [0x0a, 5]) }
    }
}
