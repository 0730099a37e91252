import PushCrypto

/// Whom a message mentions. Derived by every server alike from the text and the author of the message that it answers,
/// never taken from a client.
enum Mentions {
    /// The identities that a message mentions: those of the links `any://m/<space>/<identity>` of its text in order, whatever
    /// space they name, each once, then the author that it answers. Its own author may be among them: that is for those to
    /// judge who notify.
    ///
    /// At most ``ChatLimits/mentions``: when there are more links, the last yields to the author that is answered.
    static func of(text: String, replyingTo repliedTo: PublicKey?) -> [PublicKey] {
        var mentions = linked(in: text)
        guard let repliedTo, !mentions.contains(repliedTo) else { return mentions }
        if mentions.count == ChatLimits.mentions { mentions.removeLast() }
        mentions.append(repliedTo)
        return mentions
    }

    private static let prefix = Array("any://m/".utf8)

    private static func linked(in text: String) -> [PublicKey] {
        let text = Array(text.utf8)
        var mentions: [PublicKey] = []
        var seen: Set<PublicKey> = []
        var position = 0
        while mentions.count < ChatLimits.mentions, let start = text[position...].firstIndex(of: prefix[0]) {
            position = start + 1
            // Not the end of another scheme's name.
            guard start == 0 || !isAlphanumeric(text[start - 1]), text[start...].starts(with: prefix) else { continue }
            let space = text[(start + prefix.count)...].prefix(maximumSpaceLength, while: isOfSpaceId)
            position = space.endIndex
            guard !space.isEmpty, position < text.count, text[position] == UInt8(ascii: "/") else { continue }
            let identity = text[(position + 1)...].prefix(maximumAddressLength + 1, while: isAlphanumeric)
            position = identity.endIndex
            guard
                let key = try? PublicKey(accountAddress: String(decoding: identity, as: UTF8.self)),
                seen.insert(key).inserted
            else { continue }
            mentions.append(key)
        }
        return mentions
    }

    // An account address is base58 of 35 bytes, at most 48 characters.
    private static let maximumAddressLength = 48

    // A CID with a dot and a number behind it; far longer than any.
    private static let maximumSpaceLength = 256

    private static func isOfSpaceId(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || ".-_~".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

extension ArraySlice<UInt8> {
    /// The first elements that satisfy `predicate`, no more than `limit`.
    fileprivate func prefix(_ limit: Int, while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        prefix(limit).prefix(while: predicate)
    }
}
