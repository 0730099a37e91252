package import ProtoWire
package import PushAPI
package import PushCrypto

/// A message as FCM's HTTP v1 API takes it, for any number of tokens of one platform.
///
/// The bytes are those of the reference's builder: Go's JSON with sorted map keys (protocol.md §4, "What a device gets";
/// field names from Google's "REST Resource: projects.messages").
package struct FCMMessage: Sendable {
    /// The data map that the phone gets, in key order.
    package let data: [DataField]
    // The message object's fields up to the token, which comes last.
    private let head: [UInt8]

    /// Builds the message.
    ///
    /// - Parameters:
    ///   - content: what to bring to the phone.
    ///   - platform: the phones' kind.
    ///   - texts: the node's default texts, for loud notifications.
    /// - Throws: ``FCMMessageError``.
    package init(
        _ content: NotificationContent, for platform: Platform, texts: DefaultTexts
    ) throws(FCMMessageError) {
        guard platform == .ios || platform == .android else { throw .unknownPlatform(platform.rawValue) }
        data = (content.data + Self.texts(content, for: platform, texts)).sorted { $0.key.rawValue < $1.key.rawValue }
        var json = GoJSON(reserving: Self.byteCount(of: content, for: platform, texts: texts) + 256)
        json.raw("\"data\":{")
        for (index, field) in data.enumerated() {
            if index > 0 { json.raw(",") }
            json.string(Array(field.key.rawValue.utf8))
            json.raw(":")
            json.string(field.value)
        }
        json.raw("}")
        if platform == .ios {
            try Self.writeIOS(content, texts, to: &json)
        } else if !content.isSilent {
            json.raw(",\"android\":{\"priority\":\"high\"}")
        }
        json.raw(",\"token\":")
        head = json.bytes
    }

    /// The body of the request that sends the message to one device: `{"message":{…}}`.
    package func requestBody(token: WireString) -> [UInt8] {
        var json = GoJSON(reserving: head.count + token.bytes.count + 32)
        json.raw("{\"message\":{")
        writeFields(to: &json, token: token)
        json.raw("}}")
        return json.bytes
    }

    /// Writes the fields of the message object for one device: `"data":{…},…,"token":"…"`.
    package func writeFields(to json: inout GoJSON, token: WireString) {
        json.fragment(head)
        json.string(token.bytes)
    }

    // Loud: shown with the default texts, and given to the app's extension first (mutable-content), which decrypts.
    private static func writeIOS(
        _ content: NotificationContent, _ texts: DefaultTexts, to json: inout GoJSON
    ) throws(FCMMessageError) {
        guard !content.isSilent else {
            json.raw(",\"apns\":{\"payload\":{\"aps\":{\"content-available\":1}}}")
            return
        }
        if !texts.imageURL.isEmpty, !ImageURL.isValid(texts.imageURL) { throw .invalidImageURL(texts.imageURL) }
        json.raw(",\"notification\":{")
        var isFirst = true
        func write(_ name: StaticString, _ text: String, to json: inout GoJSON) {
            guard !text.isEmpty else { return }
            if !isFirst { json.raw(",") }
            isFirst = false
            json.raw(name)
            json.string(Array(text.utf8))
        }
        write("\"title\":", texts.title, to: &json)
        write("\"body\":", texts.body, to: &json)
        write("\"image\":", texts.imageURL, to: &json)
        json.raw("},\"apns\":{\"payload\":{\"aps\":{\"mutable-content\":1}}}")
    }

    // An Android app draws its notification itself, so it gets the default texts as data, empty ones too.
    private static func texts(
        _ content: NotificationContent, for platform: Platform, _ texts: DefaultTexts
    ) -> [DataField] {
        guard platform == .android, !content.isSilent else { return [] }
        return [
            DataField(key: .title, value: Array(texts.title.utf8)),
            DataField(key: .body, value: Array(texts.body.utf8)),
            DataField(key: .imageURL, value: Array(texts.imageURL.utf8)),
        ]
    }
}

/// Why a message can not be built.
package enum FCMMessageError: Error, Hashable, Sendable {
    /// No phone is of this platform.
    case unknownPlatform(Int32)
    /// The node is configured with an image URL that FCM refuses.
    case invalidImageURL(String)
}
