/// One server-sent event, encoded once however many subscribers get it.
struct EventFrame: Hashable, Sendable {
    /// The event's name: `ready`, `snapshot`, `changes`, `closed`.
    let event: String
    /// The frame as it stands on the wire.
    let bytes: [UInt8]

    /// A frame with a name, which has no line break, and a payload.
    init(event: String, data: JSONValue) {
        self.event = event
        // Compact JSON has no line break, so one data line is enough.
        bytes = Array("event: \(event)\ndata: ".utf8) + JSONWriter.bytes(data) + Array("\n\n".utf8)
    }

    /// The first frame of every stream.
    static let ready = EventFrame(event: "ready", data: [:])

    /// The state that `changes` build on: `{records, total?, hasNext?}`.
    static func snapshot(_ data: JSONValue) -> EventFrame {
        EventFrame(event: "snapshot", data: data)
    }

    /// `[{versionId, added, updated, removed}]`.
    static func changes(_ data: JSONValue) -> EventFrame {
        EventFrame(event: "changes", data: data)
    }

    /// The last frame of a stream that the server ends.
    static func closed(_ reason: ClosedReason) -> EventFrame {
        EventFrame(event: "closed", data: ["reason": .string(reason.rawValue)])
    }

    /// What keeps an idle connection from being taken for dead. No event.
    static let keepalive = Array(": keepalive\n\n".utf8)
}
