import FoundationEssentials
import ProtoWire
import PushAPI

/// One entry of the data map that a phone gets (protocol.md §4, "What a device gets"). Keys are ASCII.
package struct DataField: Hashable, Sendable {
    /// The entry's name.
    package let key: Key
    /// The entry's value.
    package let value: [UInt8]

    /// The names of the entries.
    package enum Key: String, Sendable {
        case body = "x-any-body"
        case groupId = "x-any-group-id"
        case imageURL = "x-any-image-url"
        case keyId = "x-any-key-id"
        case payload = "x-any-payload"
        case signature = "x-any-signature"
        case title = "x-any-title"
        case type = "x-any-type"

        /// The name's length in bytes.
        var byteCount: Int { rawValue.utf8.count }
    }
}

extension NotificationContent {
    /// The entries that every phone gets, of any platform, in no order.
    package var data: [DataField] {
        var fields = [
            DataField(key: .type, value: Array((isSilent ? "silent" : "normal").utf8)),
            DataField(key: .groupId, value: groupId.bytes),
        ]
        if let message {
            fields.append(DataField(key: .keyId, value: message.keyId.bytes))
            fields.append(DataField(key: .payload, value: Array(Data(message.payload).base64EncodedData())))
            fields.append(DataField(key: .signature, value: Array(Data(message.signature).base64EncodedData())))
        }
        return fields
    }
}
