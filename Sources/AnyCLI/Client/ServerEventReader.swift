/// An event of a stream.
struct ServerEvent: Sendable, Equatable {
    let name: String
    /// JSON, of a server of ours.
    let data: [UInt8]
}

/// Reads server-sent events as their bytes come (https://html.spec.whatwg.org/multipage/server-sent-events.html), bounded.
struct ServerEventReader {
    /// An event is larger than ``limit``.
    struct TooLarge: Error {}

    /// The most bytes that an event may have.
    static let limit = 32 << 20

    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false
    // A line feed after a carriage return ends no line of its own.
    private var skipsLineFeed = false
    /// Whether anything has come.
    private(set) var hasBegun = false

    /// Reads bytes and hands on the events that they complete.
    ///
    /// - Returns: whether `take` wants more.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ take: (ServerEvent) -> Bool
    ) throws(TooLarge) -> Bool {
        hasBegun = hasBegun || !bytes.isEmpty
        var rest = bytes[...]
        if skipsLineFeed, rest.first == 0x0A { rest = rest.dropFirst() }
        if !bytes.isEmpty { skipsLineFeed = false }
        while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            let isReturn = rest[end] == 0x0D
            try append(rest[..<end])
            rest = rest[(end + 1)...]
            if isReturn, rest.first == 0x0A {
                rest = rest.dropFirst()
            } else {
                skipsLineFeed = isReturn && rest.isEmpty
            }
            guard endLine(take) else { return false }
        }
        try append(rest)
        return true
    }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>) throws(TooLarge) {
        guard line.count + data.count + bytes.count <= Self.limit else { throw TooLarge() }
        line.append(contentsOf: bytes)
    }

    private mutating func endLine(_ take: (ServerEvent) -> Bool) -> Bool {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endEvent(take) }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(0x0A) }
            data.append(contentsOf: value)
            hasData = true
        // A comment, which keeps the connection alive, or a field that says nothing to us.
        default: break
        }
        return true
    }

    private mutating func endEvent(_ take: (ServerEvent) -> Bool) -> Bool {
        defer {
            name = ""
            data.removeAll(keepingCapacity: true)
            hasData = false
        }
        guard hasData else { return true }
        return take(ServerEvent(name: name.isEmpty ? "message" : name, data: data))
    }
}
