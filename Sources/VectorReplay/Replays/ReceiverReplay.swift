import FoundationEssentials
import PushCrypto
import PushReceiver

/// Replays receiver.json: what a node gives a provider (`fcm`), and what a phone makes of a data map (`decrypt`).
struct ReceiverReplay: VectorFile {
    static let stem = "receiver"
    // The space that the vectors' payloads name.
    private static let spaceId = "spc_1"

    init(file: JSON) {}

    func replay(_ vector: JSON) throws {
        switch try vector.string("kind") {
        case "fcm": try replayFCM(vector)
        case "decrypt": try replayDecryption(vector)
        case let kind: throw VectorMismatch("unknown kind \(kind)")
        }
    }

    private func replayDecryption(_ vector: JSON) throws {
        let data = try strings(vector.object("data"), in: "data")
        let receiver = NotificationReceiver(keys: KeyTable(try keys(vector), spaceId: Self.spaceId))
        let received = receiver.receive(data)
        switch (try vector.string("result"), receiver.open(data)) {
        case ("decrypted", .opened(let opened)):
            try expect(
                opened.plaintext, equals: vector["plaintext"].map { _ in try vector.hex("plaintext") } ?? [],
                "plaintext")
            try expectPlaintextString(opened, vector)
            let sender = try vector["senderAccount"].map { _ in
                try PublicKey(accountAddress: vector.string("senderAccount"))
            }
            if let sender, vector["signatureValid"] != nil {
                try expect(opened.isSigned(by: sender), equals: vector.bool("signatureValid"), "signatureValid")
            }
            try expectRendering(received, of: opened, by: sender, vector)
        case ("generic", .unreadable(let notification)):
            try expect(received, equals: .generic(notification), "result")
            try expectReason(notification.reason, vector["reason"]?.stringValue ?? "")
        case ("silent", .silent(let groupId)):
            guard case .silent(let notice) = received, notice.reading == nil else {
                throw VectorMismatch("result: expected a silent notice that nobody signed")
            }
            try expect(notice.groupId, equals: groupId, "result")
            try expect(groupId ?? "", equals: data["x-any-group-id"] ?? "", "group id")
        case (let result, let opening):
            throw VectorMismatch("result: expected \(result), found \(describe(opening))")
        }
    }

    private func expectPlaintextString(_ opened: OpenedNotification, _ vector: JSON) throws {
        guard vector["plaintextString"] != nil else { return }
        let text = String(decoding: opened.plaintext, as: UTF8.self)
        try expect(text, equals: vector.string("plaintextString"), "plaintextString")
    }

    // A plaintext that is no payload is decrypted all right, and still there is nothing to show of it.
    private func expectRendering(
        _ received: ReceivedNotification, of opened: OpenedNotification, by sender: PublicKey?, _ vector: JSON
    ) throws {
        guard try vector["jsonValid"] != nil && vector.bool("jsonValid") else {
            guard case .generic(let notification) = received, case .notAPayload = notification.reason else {
                throw VectorMismatch("jsonValid: expected no payload to be read")
            }
            return
        }
        guard let sender, vector["signatureValid"] != nil else {
            throw VectorMismatch("a payload without a verdict on its signature")
        }
        guard try vector.bool("signatureValid") else {
            // Opened, and still nobody's word.
            guard case .generic(let notification) = received else {
                throw VectorMismatch("a payload with another's signature is shown")
            }
            return try expect(
                notification.reason, equals: .unprovenSender(.forged(claimed: sender)), "the verdict on the sender")
        }
        guard case .message(let message) = received else { throw VectorMismatch("jsonValid: expected a message") }
        let payload = try JSON.parse(Data(opened.plaintext))
        try expect(message.sender.accountAddress, equals: payload.string("senderId"), "senderId")
        try expect(message.text, equals: JSON.object(payload.object("newMessage")).string("text"), "text")
        try expect(message.sender, equals: sender, "the sender")
    }

    // The reference's words, by what they are about. Its shortest ciphertext is the nonce, ours nonce and tag.
    private func expectReason(_ reason: GenericReason, _ words: String) throws {
        let agrees =
            switch reason {
            case .unknownKey: words.hasPrefix("unknown key")
            case .noPayload: words.hasPrefix("no payload")
            case .payloadNotBase64: words.hasPrefix("base64")
            case .notOpened: words.hasPrefix("decrypt")
            default: false
            }
        try expect(agrees, "reason: expected \"\(words)\", found \(reason)")
    }

    private func keys(_ vector: JSON) throws -> [String: SymmetricKey] {
        try strings(vector.object("keys"), in: "keys").mapValues { text in
            guard let raw = Base64.decode(text) else { throw VectorMismatch("a key is not base64") }
            return try SymmetricKey(rawRepresentation: raw)
        }
    }

    private func strings(_ fields: [String: JSON], in name: String) throws -> [String: String] {
        try fields.mapValues { field in
            guard let text = field.stringValue else {
                throw VectorMismatch("field \(name) holds something else than text")
            }
            return text
        }
    }

    private func describe(_ opening: NotificationReceiver.Opening) -> String {
        switch opening {
        case .opened: "decrypted"
        case .silent: "silent"
        case .unreadable(let notification): "generic: \(notification.reason)"
        }
    }
}
