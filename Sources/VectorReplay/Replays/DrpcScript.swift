import AnySyncWire
import PushCrypto

/// A frame of drpc.json, its fields checked against its header.
struct DrpcFrame {
    let header: DRPCFrameHeader
    /// The body, when the file holds it.
    let data: [UInt8]?
    /// SHA-256 of the body, when the file holds that instead.
    let dataHash: [UInt8]?

    /// - Parameters:
    ///   - json: the frame.
    ///   - bytes: the bytes of the write it is in, if the file holds them; what the frame takes is removed.
    init(_ json: JSON, _ bytes: inout ArraySlice<UInt8>?) throws {
        let encoded = try json.hex("header")
        guard let (header, size) = try DRPCFrameHeader.decode(encoded[...]), size == encoded.count else {
            throw VectorMismatch("a header was not decoded to its end")
        }
        try expect(Int(header.kind.rawValue), equals: json.int("kind"), "kind")
        let names = [
            "Kind(0)", "Invoke", "Message", "Error", "Cancel", "Close", "CloseSend", "InvokeMetadata",
        ]
        let kind = Int(header.kind.rawValue)
        try expect(
            kind < names.count ? names[kind] : "Kind(\(kind))", equals: json.string("kindName"), "kindName")
        try expect(header.isControl, equals: json.bool("control"), "control")
        try expect(header.isDone, equals: json.bool("done"), "done")
        try Self.expectId(header.stream, json, "stream")
        try Self.expectId(header.message, json, "message")
        try expect(Int(header.length), equals: json.int("length"), "length")
        var again: [UInt8] = []
        header.encode(to: &again)
        try expect(again, equals: encoded, "header, encoded")

        dataHash = try json["dataSha256"] == nil ? nil : json.hex("dataSha256")
        var data = try json["data"] == nil ? nil : json.hex("data")
        if let write = bytes {
            try expect(write.starts(with: encoded), "the bytes hold the frame's header")
            let body = write.dropFirst(size).prefix(Int(header.length))
            if let data { try expect(Array(body), equals: data, "data") }
            data = Array(body)
            bytes = write.dropFirst(size + body.count)
        }
        if let data {
            try expect(data.count, equals: Int(header.length), "length of the data")
            if let dataHash { try expect(Digest.sha256(data), equals: dataHash, "dataSha256") }
        }
        self.header = header
        self.data = data
    }

    private init(header: DRPCFrameHeader, data: [UInt8]) {
        self.header = header
        self.data = data
        dataHash = nil
    }

    /// The frames in bytes of ours.
    static func frames(in bytes: [UInt8]) throws -> [DrpcFrame] {
        var frames: [DrpcFrame] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let (header, size) = try DRPCFrameHeader.decode(rest) else {
                throw VectorMismatch("half a header was written")
            }
            rest = rest.dropFirst(size)
            let data = rest.prefix(Int(header.length))
            try expect(data.count, equals: Int(header.length), "length of the data written")
            frames.append(DrpcFrame(header: header, data: Array(data)))
            rest = rest.dropFirst(data.count)
        }
        return frames
    }

    /// The frame's bytes, when its body is known.
    var bytes: [UInt8]? {
        guard let data else { return nil }
        var bytes: [UInt8] = []
        header.encode(to: &bytes)
        return bytes + data
    }

    private static func expectId(_ id: UInt64, _ json: JSON, _ key: String) throws {
        switch json[key] {
        case .int(let value): try expect(id, equals: UInt64(bitPattern: value), key)
        // JSON holds ids past Int64 as floating-point numbers, so near as those come.
        case .double(let value): try expect(Double(id), equals: value, key)
        default: throw VectorMismatch("field \(key) is not an id")
        }
    }
}

/// One call of a recorded session: what both sides sent for it.
struct DrpcCall {
    var client: [DrpcFrame] = []
    var server: [DrpcFrame] = []

    /// Reads a case's `writes`, sorted by call.
    static func calls(_ vector: JSON) throws -> [DrpcCall] {
        var calls: [UInt64: DrpcCall] = [:]
        for write in try vector.array("writes") {
            let from = try write.string("from")
            try expect(["client", "server"].contains(from), "a write is from client or server, not \(from)")
            var bytes = try write["bytes"] == nil ? nil : write.hex("bytes")[...]
            let byteCount = bytes?.count
            let frames = try write.array("frames").map { try DrpcFrame($0, &bytes) }
            try expect(bytes?.isEmpty ?? true, "the bytes hold nothing but the frames")
            if let length = write["length"]?.intValue {
                var headers: [UInt8] = []
                frames.forEach { $0.header.encode(to: &headers) }
                let total = headers.count + frames.reduce(0) { $0 + Int($1.header.length) }
                try expect(total, equals: length, "length of the write")
                try expect(byteCount ?? length, equals: length, "length of the bytes")
            }
            for frame in frames {
                if from == "client" {
                    calls[frame.header.stream, default: DrpcCall()].client.append(frame)
                } else {
                    calls[frame.header.stream, default: DrpcCall()].server.append(frame)
                }
            }
        }
        return calls.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The body of the packet of this kind, put together; `nil` when the file does not hold all of it.
    static func body(of kind: DRPCKind, in frames: [DrpcFrame]) -> [UInt8]? {
        var body: [UInt8] = []
        for frame in frames where frame.header.kind == kind {
            guard let data = frame.data else { return nil }
            body += data
        }
        return body
    }
}
