import ProtoWire

/// How large a notification may be, so that every provider takes it.
public enum ProviderBudget {
    /// The most that FCM and APNs take for one message, in bytes (their documents on payload size).
    public static let messageByteCount = 4096

    /// The most clear JSON that fits a provider's message once it is sealed and base64-encoded, in bytes.
    ///
    /// 2600 bytes of JSON are 2628 sealed and 3504 in base64. The other 592 are for what stands beside them: on Android 344
    /// bytes of data keys and their values and the node's default texts; on iOS the punctuation, `aps` and FCM's own keys.
    public static let payloadByteCount = 2600
}

/// Why a payload can not be made small enough.
public enum FittingError: Error, Hashable, Sendable {
    /// The parts that must not be cut (ids, attachments) are too long by themselves, in bytes of JSON.
    case fixedPartsTooLong(limit: Int, found: Int)
}

extension ChatPayload {
    /// How much of each name stays while there is text to cut, in Unicode scalars: as much as a phone shows of one.
    public static let keptNameScalars = 64

    /// The JSON that is sealed, cut to fit a provider's message.
    ///
    /// First names give what they have over ``keptNameScalars``, then the text gives, and only when nothing is left of it
    /// the rest of the names, the longest first; always on a scalar boundary. A payload that fits is untouched,
    /// ``encoded()``.
    ///
    /// - Parameter limit: the most bytes of JSON.
    /// - Throws: ``FittingError`` when the ids alone are over the limit.
    public func encoded(fitting limit: Int = ProviderBudget.payloadByteCount) throws(FittingError) -> [UInt8] {
        let text = truncatedText
        var whole = encode(newMessage, text: text)
        guard whole.count > limit else { return whole }

        var message = newMessage
        message.mapNames { Array(Runes.prefix($0, count: Self.keptNameScalars)) }
        whole = encode(message, text: text)
        guard whole.count > limit else { return whole }

        let textLength = Self.encodedLength(text)
        let excess = whole.count - limit
        if excess <= textLength {
            return encode(message, text: Self.prefix(text, encodedLength: textLength - excess))
        }
        return encode(try Self.namesCut(in: message, by: excess - textLength, limit: limit), text: [])
    }

    private static func namesCut(
        in message: NewMessage, by excess: Int, limit: Int
    ) throws(FittingError) -> NewMessage {
        let lengths = [message.spaceName, message.chatName, message.senderName].map { encodedLength($0.bytes) }
        let total = lengths.reduce(0, +)
        guard excess <= total else { throw .fixedPartsTooLong(limit: limit, found: limit + excess - total) }
        let cap = cap(lengths, total: total - excess)
        var message = message
        message.mapNames { prefix($0, encodedLength: cap) }
        return message
    }

    // The largest length to which all can be cut so that together they take no more than `total`: the longest give first.
    private static func cap(_ lengths: [Int], total: Int) -> Int {
        var rest = total
        var sharing = lengths.count
        for length in lengths.sorted() {
            guard length * sharing > rest else {
                rest -= length
                sharing -= 1
                continue
            }
            return rest / sharing
        }
        return total
    }

    private static func encodedLength(_ text: [UInt8]) -> Int {
        Runes(text).reduce(0) { $0 + GoJSON.encodedLength($1, of: text) }
    }

    private static func prefix(_ text: [UInt8], encodedLength limit: Int) -> [UInt8] {
        var length = 0
        for rune in Runes(text) {
            length += GoJSON.encodedLength(rune, of: text)
            guard length <= limit else { return Array(text[..<rune.range.lowerBound]) }
        }
        return text
    }
}

extension ChatPayload.NewMessage {
    fileprivate mutating func mapNames(_ change: ([UInt8]) -> [UInt8]) {
        spaceName.bytes = change(spaceName.bytes)
        chatName.bytes = change(chatName.bytes)
        senderName.bytes = change(senderName.bytes)
    }
}
