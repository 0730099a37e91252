import AnyServer

/// Lines of one space on their way to the server, as many at a time as it takes.
struct ImportBatch {
    // The server takes 1 MiB and 16384 values (any-api.md, "HTTP"; JSONLimits); a line has seven at most.
    private static let byteLimit = 1_000_000
    private static let countLimit = 2000
    /// The longest line that fits, with room for the space's.
    static let lineLimit = byteLimit - (64 << 10)

    private let space: [UInt8]
    private let restores: Bool
    private var lines: [UInt8] = []
    private var count = 0
    private var hasSent = false
    private var spaceId: String?
    private var records: Int64 = 0
    private var changes: Int64 = 0
    private var status: JSONValue?
    private var removed: JSONValue?

    /// A batch of the space that `space` is the line of; each request begins with it.
    ///
    /// - Parameter restores: whether the space comes back when it was deleted.
    init(space: [UInt8], restores: Bool) {
        self.space = space
        self.restores = restores
    }

    func hasRoom(for line: [UInt8]) -> Bool {
        count < Self.countLimit && space.count + lines.count + line.count + 64 <= Self.byteLimit
    }

    mutating func append(_ line: [UInt8]) {
        lines.append(UInt8(ascii: ","))
        lines.append(contentsOf: line)
        count += 1
    }

    /// Sends what has come together and begins anew.
    mutating func send(_ connection: ServerConnection) throws(CommandFailure) {
        guard count > 0 || !hasSent else { return }
        let body = Array(#"{"lines":["#.utf8) + space + lines + Array((restores ? #"],"restore":true}"# : "]}").utf8)
        let answer = try connection.send(ServerRequest(.post, "/v1/spaces/import", body: body)).object()
        spaceId = answer.string("spaceId")
        records += Int64(answer.integer("records") ?? 0)
        changes += Int64(answer.integer("changes") ?? 0)
        status = answer["status"]
        removed = answer["removed"]
        hasSent = true
        lines.removeAll(keepingCapacity: true)
        count = 0
    }

    /// What all of it has brought.
    var result: JSONValue {
        var result: JSONObject = [
            "spaceId": .string(spaceId ?? ""), "records": .integer(records), "changes": .integer(changes),
        ]
        result["status"] = status
        result["removed"] = removed
        return .object(result)
    }
}
