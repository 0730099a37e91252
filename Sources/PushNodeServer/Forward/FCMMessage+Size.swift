import ProtoWire
package import PushAPI
import PushCrypto

extension FCMMessage {
    /// How much of a provider's `ProviderBudget.messageByteCount` a notification takes, in bytes.
    ///
    /// FCM counts the keys and values of the data map and the texts of the notification block (Firebase, "About FCM
    /// messages": 4096 bytes). APNs' own framing of it comes on top and is the sender's to leave room for, see
    /// `ProviderBudget.payloadByteCount`.
    package static func byteCount(
        of content: NotificationContent, for platform: Platform, texts: DefaultTexts
    ) -> Int {
        var count = DataField.Key.type.byteCount + 6  // "normal" and "silent" are equally long
        count += DataField.Key.groupId.byteCount + content.groupId.bytes.count
        if let message = content.message {
            count += DataField.Key.keyId.byteCount + message.keyId.bytes.count
            count += DataField.Key.payload.byteCount + base64Count(message.payload.count)
            count += DataField.Key.signature.byteCount + base64Count(message.signature.count)
        }
        guard !content.isSilent else { return count }
        count += texts.title.utf8.count + texts.body.utf8.count + texts.imageURL.utf8.count
        if platform == .android {
            count += DataField.Key.title.byteCount + DataField.Key.body.byteCount + DataField.Key.imageURL.byteCount
        }
        return count
    }

    /// The most that a notification takes on any platform, in bytes; see ``byteCount(of:for:texts:)``.
    package static func largestByteCount(of content: NotificationContent, texts: DefaultTexts) -> Int {
        max(byteCount(of: content, for: .ios, texts: texts), byteCount(of: content, for: .android, texts: texts))
    }

    /// The most that the default texts may take together, in bytes: what the payload that senders fit theirs into leaves
    /// beside it (`ProviderBudget.payloadByteCount`, sealed, with ids of 64 bytes).
    package static let roomForTexts: Int = {
        let id = WireString(bytes: repeatElement(0, count: 64))
        let payload = [UInt8](repeating: 0, count: ProviderBudget.payloadByteCount + 28)
        let message = NotifyRequest.Message(keyId: id, payload: payload, signature: [UInt8](repeating: 0, count: 64))
        let content = NotificationContent(isSilent: false, groupId: id, message: message)
        let texts = DefaultTexts(title: "", body: "", imageURL: "")
        return ProviderBudget.messageByteCount - largestByteCount(of: content, texts: texts)
    }()

    private static func base64Count(_ count: Int) -> Int {
        (count + 2) / 3 * 4
    }
}
