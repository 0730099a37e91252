import FoundationEssentials
import ProtoWire
import PushCrypto
import PushReceiver

/// Drives the receiver with any data map, and with any plaintext that a member seals and signs.
///
/// The bytes are read as lines of `name=value`, as a node could send them; as a payload that a hostile member sealed; and as
/// the texts of a payload that is in order, which must come out fit to show.
public func fuzzDataMap(_ bytes: [UInt8]) {
    let member = FuzzMember()
    var data: [String: String] = [:]
    for line in bytes.split(separator: 0x0a) {
        let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        data[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts.dropFirst().joined(), as: UTF8.self)
    }
    let strange = member.receiver.receive(data, at: 0)
    check(strange)
    // No signature can be right: the key that would make it is nobody's.
    if case .message = strange { preconditionFailure("nobody's message is shown") }

    data.merge(member.seal(bytes)) { $1 }
    let received = member.receiver.receive(data, at: 0)
    check(received)
    precondition(received == member.receiver.receive(data, at: 0))
    if case .generic(let notification) = received {
        precondition(notification.reason != .unknownKey && notification.reason != .payloadNotBase64)
    }

    // The same, as a silent notice.
    data["x-any-type"] = "silent"
    guard case .silent(let notice) = member.receiver.receive(data, at: 0) else {
        preconditionFailure("a silent notice is not silent")
    }
    if let reading = notice.reading { precondition(reading.account == member.account.publicKey) }

    let text = WireString(bytes: bytes)
    let payload = ChatPayload(
        spaceId: FuzzMember.spaceId, isOneToOne: bytes.count.isMultiple(of: 2),
        senderId: WireString(member.account.publicKey.accountAddress),
        newMessage: ChatPayload.NewMessage(
            chatId: "chat", msgId: "message", spaceName: text, chatName: text, senderName: text, text: text)
    )
    guard let json = try? payload.encoded(fitting: ProviderBudget.payloadByteCount) else { return }
    let shown = member.receiver.receive(member.seal(json), at: 0)
    guard case .message = shown else { preconditionFailure("a member's message is not shown") }
    check(shown)
}

/// A member of a space, and a phone that knows the space's key.
private struct FuzzMember {
    static let spaceId: WireString = "space"

    let account = SigningKey()
    private let key = SymmetricKey()

    var receiver: NotificationReceiver {
        var keys = KeyTable()
        for id in [key.keyId, ""] {
            keys.file(key, withId: id, spaceId: Self.spaceId.string, KeyFiling(accounts: [account.publicKey]))
        }
        return NotificationReceiver(keys: keys)
    }

    /// A data map with a plaintext under the space's key and the member's signature.
    func seal(_ plaintext: [UInt8]) -> [String: String] {
        guard let sealed = try? key.seal(plaintext) else { preconditionFailure("a plaintext was not sealed") }
        return [
            "x-any-type": "normal", "x-any-key-id": key.keyId, "x-any-payload": Data(sealed).base64EncodedString(),
            "x-any-signature": Data(account.signature(for: sealed)).base64EncodedString(),
        ]
    }
}

private func check(_ received: ReceivedNotification) {
    var shelf = NotificationShelf(capacity: 1)
    _ = shelf.apply(received)
    precondition(shelf.shown.count <= 1)
    guard case .message(let message) = received else { return }
    precondition(!message.title.isEmpty && !message.body.isEmpty && message.subtitle?.isEmpty != true)
    let names = [message.title, message.subtitle ?? "", message.spaceName, message.chatName, message.senderName]
    for line in message.isOneToOne ? names : names + [message.body] {
        precondition(!line.contains { $0.isNewline })
    }
    for name in names { precondition(name.count <= 128) }
    for scalar in (names.joined() + message.body).unicodeScalars {
        precondition(!scalar.properties.isBidiControl)
        precondition(scalar == "\n" || scalar.properties.generalCategory != .control)
    }
}
