import AnySyncWire
import PushCrypto

/// What both sides of a recorded yamux session wrote, in order.
struct YamuxScript {
    struct Frame {
        let header: YamuxHeader
        /// What follows the header of a data frame.
        let data: [UInt8]
    }

    struct Write {
        let isClient: Bool
        let bytes: [UInt8]
        let frames: [Frame]
    }

    let writes: [Write]

    /// Reads a case's `writes`, checks every frame's fields against its header and every write's bytes against its frames.
    ///
    /// Data of which only the hash is given is the next part of ``BigBytes`` on that stream in that direction.
    init(_ vector: JSON) throws {
        var writes: [Write] = []
        var bigBytesUsed: [String: Int] = [:]
        for write in try vector.array("writes") {
            let from = try write.string("from")
            try expect(["client", "server"].contains(from), "a write is from client or server, not \(from)")
            var frames: [Frame] = []
            for frame in try write.array("frames") {
                let header = try Self.header(of: frame)
                var data: [UInt8] = []
                if header.kind == .data {
                    if let hash = try frame["dataSha256"].map({ _ in try frame.hex("dataSha256") }) {
                        let key = "\(from) \(header.stream)"
                        let start = bigBytesUsed[key, default: 0]
                        data = Array(BigBytes.prefix(start + Int(header.length))[start...])
                        bigBytesUsed[key] = start + data.count
                        try expect(Digest.sha256(data), equals: hash, "dataSha256")
                    } else if frame["data"] != nil {
                        data = try frame.hex("data")
                    }
                    if frame["partial"]?.boolValue != true {
                        try expect(data.count, equals: Int(header.length), "length of the data")
                    }
                }
                frames.append(Frame(header: header, data: data))
            }
            let bytes = try Self.bytes(of: write, frames)
            writes.append(Write(isClient: from == "client", bytes: bytes, frames: frames))
        }
        self.writes = writes
    }

    /// The frames in `bytes`, adjacent data of one stream joined: where data is cut into frames is the sender's choice.
    static func joinedFrames(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var joined: [(header: YamuxHeader, data: [UInt8])] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let header = YamuxHeader(decoding: rest) else { throw VectorMismatch("half a header was written") }
            rest = rest.dropFirst(YamuxHeader.size)
            let length = header.kind == .data ? Int(header.length) : 0
            let data = rest.prefix(length)
            rest = rest.dropFirst(length)
            if let last = joined.last, header.kind == .data, last.header.kind == .data,
                last.header.stream == header.stream, header.flags.isEmpty
            {
                joined[joined.count - 1].data += data
                joined[joined.count - 1].header.length += header.length
            } else {
                joined.append((header, Array(data)))
            }
        }
        return joined.map { frame in
            var bytes: [UInt8] = []
            frame.header.encode(to: &bytes)
            return bytes + frame.data
        }
    }

    private static func header(of frame: JSON) throws -> YamuxHeader {
        let bytes = try frame.hex("header")
        guard let header = YamuxHeader(decoding: bytes[...]) else {
            throw VectorMismatch("header: expected 12 bytes, found \(bytes.count)")
        }
        try expect(Int(header.version), equals: frame.int("version"), "version")
        try expect(Int(header.kind.rawValue), equals: frame.int("type"), "type")
        try expect(Int(header.flags.rawValue), equals: frame.int("flags"), "flags")
        try expect(Int(header.stream), equals: frame.int("stream"), "stream")
        try expect(Int(header.length), equals: frame.int("length"), "length")
        if let name = frame["typeName"]?.stringValue {
            let names: [YamuxHeader.Kind: String] = [
                .data: "Data", .windowUpdate: "WindowUpdate", .ping: "Ping", .goAway: "GoAway",
            ]
            try expect(names[header.kind], equals: name, "typeName")
        }
        let flagNames: [(YamuxHeader.Flags, String)] = [
            (.syn, "SYN"), (.ack, "ACK"), (.fin, "FIN"), (.rst, "RST"),
        ]
        try expect(
            flagNames.filter { header.flags.contains($0.0) }.map(\.1),
            equals: (frame["flagNames"]?.arrayValue ?? []).compactMap(\.stringValue), "flagNames")
        var encoded: [UInt8] = []
        header.encode(to: &encoded)
        try expect(encoded, equals: bytes, "header, encoded")
        return header
    }

    private static func bytes(of write: JSON, _ frames: [Frame]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in frames {
            frame.header.encode(to: &bytes)
            bytes += frame.data
        }
        guard write["bytes"] != nil else {
            try expect(bytes.count, equals: write.int("bytesLength"), "bytesLength")
            try expect(Digest.sha256(bytes), equals: write.hex("bytesSha256"), "bytesSha256")
            return bytes
        }
        let recorded = try write.hex("bytes")
        try expect(recorded.starts(with: bytes), "bytes are those of the frames")
        // A frame that the writer cut short may leave out what it carried.
        if write["frames"]?.arrayValue?.last?["partial"]?.boolValue != true {
            try expect(recorded.count, equals: bytes.count, "length of the bytes")
        }
        return recorded
    }
}
