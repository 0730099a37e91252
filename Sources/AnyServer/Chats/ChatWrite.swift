import PushCrypto

/// What a write to a chat answers.
struct ChatWrite: Hashable, Sendable {
    /// The change's place in the chat's order, see ``ChangeOrder/versionId``.
    let versionId: String
    let changeId: String
    /// The message that was written to: on sending the new one.
    let messageId: String

    /// A write of the account's own, which makes no change of the space: an order of its own by time.
    ///
    /// - Parameters:
    ///   - record: what was written to.
    ///   - time: in milliseconds since 1970.
    init(ownOf record: String, at time: Int64) {
        let change = CID(of: Array("any.account.change.v1:\(record):\(time)".utf8)).text
        self.init(ChangeOrder(counter: UInt64(max(0, time)), changeId: change), messageId: record)
    }

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
