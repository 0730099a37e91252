import AnySyncWire

/// Replays drpc.json: recorded calls with our code on either side, frames, what a reader refuses, and snappy blocks.
struct DrpcReplay: VectorFile {
    static let stem = "drpc"

    private let cases: [JSON]
    private let bigRequest: DrpcBigRequest

    init(file: JSON) throws {
        cases = try file.array("cases")
        bigRequest = try DrpcBigRequest(notifyRequest: file["notifyRequest"] == nil ? [] : file.hex("notifyRequest"))
    }

    func replay(_ vector: JSON) throws {
        switch try vector.string("kind") {
        case "call": try DrpcCallCase(vector) { try request(of: $0, vector) }.replayCalls()
        case "cancel":
            try DrpcCallCase(vector) { try request(of: $0, vector) }.replayCancelledCalls()
            try expect(vector.bool("connClosed"), "a call that is given up closes the stream")
        case "frame": try replayFrame(vector)
        case "errorBody": try replayErrorBody(vector)
        case "read": try replayRead(vector)
        case "snappy": try replaySnappy(vector)
        case "snappyBad":
            let block = try vector.hex("compressed")
            let limit = DRPCLimits().maximumMessageSize
            if vector["error"] == nil {
                _ = try SnappyBlock.decompress(block[...], limit: limit)
            } else {
                try expectError("decompressing") { try SnappyBlock.decompress(block[...], limit: limit) }
            }
        case let kind: throw VectorMismatch("unknown kind \(kind)")
        }
    }

    private func request(of call: DrpcCall, _ vector: JSON) throws -> [UInt8] {
        let frames = call.client.filter { $0.header.kind == .message }
        let isSnappy = try vector.bool("snappy")
        if let body = DrpcCall.body(of: .message, in: frames) {
            return isSnappy ? try SnappyBlock.decompress(body[...], limit: DRPCLimits().maximumMessageSize) : body
        }
        guard isSnappy else { return try bigRequest.request(of: frames) }
        // A compressed request of which only hashes are given is that of the case of the same name without snappy.
        let twin = cases.first { $0["name"] == vector["name"] && $0["snappy"]?.boolValue == false }
        guard let twin, let frames = try DrpcCall.calls(twin).first?.client.filter({ $0.header.kind == .message })
        else { throw VectorMismatch("the case does not hold its request, nor does one without snappy") }
        return try DrpcCall.body(of: .message, in: frames) ?? bigRequest.request(of: frames)
    }

    private func replayFrame(_ vector: JSON) throws {
        let bytes = try vector.hex("bytes")
        var rest: ArraySlice<UInt8>? = bytes[...]
        let frames = try vector.array("frames").map { try DrpcFrame($0, &rest) }
        try expect(rest?.isEmpty ?? false, "the bytes hold nothing but the frames")
        try expect(frames.compactMap(\.bytes).flatMap { $0 }, equals: bytes, "frames, encoded")
    }

    private func replayErrorBody(_ vector: JSON) throws {
        let body = try vector.hex("bytes")
        let error = RPCError(decoding: body[...])
        try expect(error.code, equals: UInt64(vector.int("code")), "code")
        let text = try vector.string("text")
        if body.count < 8 {
            // The reference adds a remark of its own to what is no error body.
            try expect(text.hasPrefix(error.text), "text starts with \(error.text)")
        } else {
            try expect(error.text, equals: text, "text")
            try expect(error.encoded, equals: body, "body, encoded")
        }
    }

    private func replayRead(_ vector: JSON) throws {
        let bytes = try vector.hex("bytes")
        for pieceLength in [bytes.count, 3, 1] {
            var reader = DRPCPacketReader()
            var packets: [DRPCPacket] = []
            var failure: DRPCError?
            var rest = bytes[...]
            do {
                while !rest.isEmpty {
                    var piece = rest.prefix(pieceLength)
                    rest = rest.dropFirst(piece.count)
                    while let packet = try reader.next(&piece) { packets.append(packet) }
                }
            } catch {
                failure = error
            }
            try expect(failure != nil, equals: vector["error"] != nil, "whether reading fails (\(describe(failure)))")
            let expected = vector["packets"]?.arrayValue ?? []
            try expect(packets.count, equals: expected.count, "packets")
            for (packet, wanted) in zip(packets, expected) {
                try expect(Int(packet.kind.rawValue), equals: wanted.int("kind"), "kind")
                try expect(packet.isControl, equals: wanted.bool("control"), "control")
                try expect(Int(packet.stream), equals: wanted.int("stream"), "stream")
                try expect(Int(packet.message), equals: wanted.int("message"), "message")
                try expect(Array(packet.body), equals: wanted.hex("data"), "data")
            }
        }
    }

    private func describe(_ error: DRPCError?) -> String {
        error.map { "\($0)" } ?? "no error"
    }

    private func replaySnappy(_ vector: JSON) throws {
        let raw = try vector.hex("raw")
        let limit = max(raw.count, 1)
        for key in ["compressed", "literalOnly"] {
            let block = try vector.hex(key)
            try expect(SnappyBlock.decompress(block[...], limit: limit), equals: raw, "\(key), decompressed")
            guard !raw.isEmpty else { continue }
            try expectError("\(key) over the limit") {
                try SnappyBlock.decompress(block[...], limit: raw.count - 1)
            }
        }
        let block = SnappyBlock.compress(raw)
        try expect(SnappyBlock.decompress(block[...], limit: limit), equals: raw, "our block, decompressed")
        try expect(block.count <= SnappyBlock.maximumCompressedLength(raw.count), "our block is not too long")
        if raw.isEmpty { try expect(block, equals: vector.hex("compressed"), "our block") }
    }
}
