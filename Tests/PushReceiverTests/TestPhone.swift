import FoundationEssentials
import ProtoWire
import PushCrypto
import PushReceiver

/// A phone with the key of the space `space`, its account, and a member who writes to it.
struct TestPhone: Sendable {
    let account: SigningKey
    let member = SigningKey()
    private let key: SymmetricKey
    private let receiver: NotificationReceiver

    /// - Parameter accounts: the phone's accounts that are in the space beside ``account``; `nil` for a phone whose app
    ///   names none.
    init(accounts: [SigningKey]? = []) {
        let (account, key) = (SigningKey(), SymmetricKey())
        self.account = account
        self.key = key
        var keys = KeyTable()
        let known = accounts.map { [account.publicKey] + $0.map(\.publicKey) } ?? []
        keys.file(key, withId: key.keyId, spaceId: "space", KeyFiling(accounts: known))
        receiver = NotificationReceiver(keys: keys)
    }

    func receive(_ data: [String: String]) -> ReceivedNotification { receiver.receive(data, at: 0) }

    /// What the phone makes of a message.
    func message(
        _ chat: String, _ id: String, text: String = "text", signer: SigningKey? = nil
    ) throws -> ReceivedNotification {
        let signer = signer ?? member
        let payload = ChatPayload(
            spaceId: "space", isOneToOne: false, senderId: WireString(signer.publicKey.accountAddress),
            newMessage: ChatPayload.NewMessage(
                chatId: WireString(chat), msgId: WireString(id), spaceName: "s", chatName: "c", senderName: "n",
                text: WireString(text)
            )
        )
        return receive(try seal(payload.encoded(), by: signer, type: "normal"))
    }

    /// What it makes of a notice without a signature, as the reference sends it.
    func unsigned(_ chat: String) -> ReceivedNotification {
        receive(["x-any-type": "silent", "x-any-group-id": GroupId(chatId: chat).text])
    }

    /// What it makes of a signed notice.
    ///
    /// - Parameter name: whose notice it says it is; the signer's by default.
    func signed(
        _ chat: String, upTo message: String = "", at readAt: Int64 = 0, by signer: SigningKey? = nil,
        as name: SigningKey? = nil, spaceId: String = "space"
    ) throws -> ReceivedNotification {
        let signer = signer ?? account
        let payload = ReadPayload(
            spaceId: WireString(spaceId), senderId: WireString((name ?? signer).publicKey.accountAddress),
            chatId: WireString(chat), lastMessageId: WireString(message), readAt: readAt)
        var data = try seal(PayloadPadding.padded(payload.encoded()), by: signer, type: "silent")
        data["x-any-group-id"] = GroupId(chatId: chat).text
        return receive(data)
    }

    static func identifier(_ received: ReceivedNotification) -> String {
        guard case .message(let message) = received else { return "no message" }
        return message.identifier
    }

    private func seal(_ json: [UInt8], by signer: SigningKey, type: String) throws -> [String: String] {
        let sealed = try key.seal(json)
        return [
            "x-any-type": type, "x-any-key-id": key.keyId, "x-any-payload": Data(sealed).base64EncodedString(),
            "x-any-signature": Data(signer.signature(for: sealed)).base64EncodedString(),
        ]
    }
}
