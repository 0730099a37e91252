/// What a write to a chat answers.
struct ChatWrite: Hashable, Sendable {
    /// The change's place in the chat's order, see ``ChangeOrder/versionId``.
    let versionId: String
    let changeId: String
    /// The message that was written to: on sending the new one.
    let messageId: String

    init(_ order: ChangeOrder, messageId: String) {
        versionId = order.versionId
        changeId = order.changeId
        self.messageId = messageId
    }

    /// `{versionId, changeId, recordIds}`.
    var json: JSONObject {
        ["versionId": .string(versionId), "changeId": .string(changeId), "recordIds": [.string(messageId)]]
    }
}
