import FoundationEssentials
import ProtoWire
import PushAPI
import PushNode
import PushNodeServer

/// Replays a case of receiver.json of kind `fcm`: the request bodies that the node makes for a platform.
func replayFCM(_ vector: JSON) throws {
    let name = try vector.string("platform")
    guard let platform = Platform(name: name) else { throw VectorMismatch("unknown platform \(name)") }
    let content = try notificationContent(vector)
    let texts = try defaultTexts(vector)
    try expect(dictionary(content.data), equals: strings(in: "serverData", vector), "serverData")
    guard vector["error"] == nil else {
        return try expectError("building the message") { try FCMMessage(content, for: platform, texts: texts) }
    }
    let message = try FCMMessage(content, for: platform, texts: texts)
    try expect(dictionary(message.data), equals: strings(in: "deviceData", vector), "deviceData")
    let bodies = try vector.array("tokens").map { token in
        guard let token = token.stringValue else { throw VectorMismatch("a token is not a string") }
        return message.requestBody(token: WireString(token))
    }
    let expected = try vector.array("requestBodies").map { $0.stringValue }
    try expect(bodies.map { String(decoding: $0, as: UTF8.self) }, equals: expected, "requestBodies")
    let parsed = try bodies.map { try JSON.parse(Data($0)) }
    try expect(parsed, equals: vector.array("requestBodiesJSON"), "requestBodiesJSON")
}

private func notificationContent(_ vector: JSON) throws -> NotificationContent {
    var message: NotifyRequest.Message?
    if try vector.bool("payloadPresent") {
        message = NotifyRequest.Message(
            keyId: WireString(try vector.string("keyId")), payload: try vector.hex("payload"),
            signature: try vector.hex("signature")
        )
    }
    return NotificationContent(
        isSilent: try vector.bool("silent"), groupId: WireString(try vector.string("groupId")), message: message
    )
}

private func defaultTexts(_ vector: JSON) throws -> DefaultTexts {
    guard let config = vector["config"] else { throw VectorMismatch("the case has no field config") }
    return DefaultTexts(
        title: try config.string("title"), body: try config.string("body"), imageURL: try config.string("imageUrl")
    )
}

private func dictionary(_ data: [DataField]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: data.map { ($0.key.rawValue, String(decoding: $0.value, as: UTF8.self)) })
}

private func strings(in field: String, _ vector: JSON) throws -> [String: String] {
    try vector.object(field).mapValues { value in
        guard let text = value.stringValue else { throw VectorMismatch("a value of \(field) is not a string") }
        return text
    }
}
