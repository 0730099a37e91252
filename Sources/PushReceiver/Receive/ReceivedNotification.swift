public import PushCrypto

/// What a phone does about a push message.
public enum ReceivedNotification: Hashable, Sendable {
    /// Show a chat message.
    case message(RenderedNotification)
    /// Show that there is something new, without saying what.
    case generic(GenericNotification)
    /// Show nothing, and take back what is shown of a chat that was read on another device of the account. How much of it,
    /// and whether at all, is for the ``NotificationShelf``.
    case silent(SilentNotice)
}

/// A notification whose content the device can not read, or must not show.
public struct GenericNotification: Hashable, Sendable {
    /// The text to show in every such case.
    public static let text = "New message"

    /// What to collapse it with, `nil` when the sender gave none. The node's word, under nobody's signature.
    public let groupId: String?
    /// Why there is nothing better to show.
    public let reason: GenericReason
}

/// Why the content of a push message is not shown. None repeats a word of it.
public enum GenericReason: Error, Hashable, Sendable {
    /// The data map has too many entries.
    case tooManyFields(limit: Int, found: Int)
    /// The data map, or its payload, has too many bytes.
    case tooLong(limit: Int, found: Int)
    /// `x-any-type` is missing, or neither `normal` nor `silent`.
    case unknownType
    /// There is no `x-any-payload`.
    case noPayload
    /// There is no key under `x-any-key-id`: the space's keys were never seen here, or not since they changed.
    case unknownKey
    /// There may be a key, but it can not be read.
    case keyUnavailable(KeyCacheError)
    /// `x-any-payload` is not standard base64.
    case payloadNotBase64
    /// The payload does not open with the key.
    case notOpened(SealError)
    /// What the payload opens to can not be read.
    case notAPayload(PayloadError)
    /// The payload is of a kind that this software does not know.
    case unsupportedKind(type: Int)
    /// The key that opens the payload was never filed for the space that it names.
    case keyOfAnotherSpace
    /// The space has had another key for longer than a node keeps a notification: who sealed this did not get that one.
    case supersededKey
    /// The account that the payload names did not sign it.
    case unprovenSender(SenderFault)
}

extension GenericReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooManyFields(let limit, let found):
            "the data map has \(found) entries, at most \(limit) are read"
        case .tooLong(let limit, let found):
            "the data map or its payload has \(found) bytes, at most \(limit) are read"
        case .unknownType:
            "\(DataField.type.rawValue) is missing or unknown, expected normal or silent: the node may be newer"
        case .noPayload:
            "there is no \(DataField.payload.rawValue), which a normal push message has"
        case .unknownKey:
            "no key is filed under \(DataField.keyId.rawValue): let the app see the space's row"
        case .keyUnavailable(let error):
            "\(error)"
        case .payloadNotBase64:
            "\(DataField.payload.rawValue) is not standard base64"
        case .notOpened(let error):
            "the payload does not open with the key of its id: \(error)"
        case .notAPayload(let error):
            "the payload opens to something else than a chat payload: \(error)"
        case .unsupportedKind(let type):
            "the payload is of type \(type), this software reads \(ChatPayload.newMessageType): update it"
        case .keyOfAnotherSpace:
            "the payload names a space that its key was not filed for: let the app see the space's row"
        case .supersededKey:
            "the key of the payload was superseded more than \(KeyFiling.grace / 86_400) days ago"
        case .unprovenSender(.forged): "the payload names a sender who did not sign it"
        case .unprovenSender(.unsigned): "the payload is not signed"
        case .unprovenSender(.unknownSender): "the payload names no account as its sender"
        }
    }
}
