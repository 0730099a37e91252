import FoundationEssentials
import PushCrypto
import PushReceiver

/// Drives the receiver with any data map, and with any plaintext under a key that it holds.
///
/// The bytes are read as lines of `name=value`, as a node could send them, and as a payload that a hostile member sealed.
public func fuzzDataMap(_ bytes: [UInt8]) {
    let key = SymmetricKey()
    let receiver = NotificationReceiver(keys: KeyTable([key.keyId: key, "": key]))
    var data: [String: String] = [:]
    for line in bytes.split(separator: 0x0a) {
        let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        data[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts.dropFirst().joined(), as: UTF8.self)
    }
    check(receiver.receive(data))

    guard let sealed = try? key.seal(bytes) else { preconditionFailure("a plaintext was not sealed") }
    data["x-any-type"] = "normal"
    data["x-any-key-id"] = key.keyId
    data["x-any-payload"] = Data(sealed).base64EncodedString()
    let received = receiver.receive(data)
    check(received)
    precondition(received == receiver.receive(data))
    if case .generic(let notification) = received {
        precondition(notification.reason != .unknownKey && notification.reason != .payloadNotBase64)
    }
}

private func check(_ received: ReceivedNotification) {
    var shelf = NotificationShelf(capacity: 1)
    _ = shelf.apply(received)
    precondition(shelf.shown.count <= 1)
    guard case .message(let message) = received else { return }
    precondition(!message.title.isEmpty && !message.body.isEmpty && message.subtitle?.isEmpty != true)
    precondition(!message.title.contains { $0.isNewline })
    // No signature can be right: the key that would make it is nobody's.
    precondition(!message.sender.isVerified)
}
