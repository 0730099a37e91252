import PushCrypto

/// What a hook was called for.
enum HookWork: Sendable {
    case message(StoredMessage)
    case edit(StoredMessage, newMentions: [PublicKey])
    case read(ChatReading)

    var spaceId: String {
        switch self {
        case .message(let message), .edit(let message, _): message.spaceId
        case .read(let reading): reading.spaceId
        }
    }
}
