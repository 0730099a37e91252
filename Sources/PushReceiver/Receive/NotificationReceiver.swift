import ProtoWire
import PushCrypto

/// Makes of a push message what a phone shows or takes back (protocol.md §4, "What a device gets").
///
/// It never fails: what can not be read is shown as ``GenericNotification/text``, with the reason beside it, and so is what
/// can be read and was not made by whom it names: no word of it is shown. Nothing is decoded before it is bounded, so it
/// does for a notification extension with a small memory.
///
/// ```swift
/// let receiver = NotificationReceiver(keys: try KeyCache(directory: directory))
/// switch receiver.receive(data) {
/// case .message(let notification): show(notification.title, notification.body)
/// case .generic(let notification): show(GenericNotification.text, ""); log(notification.reason)
/// case .silent(let notice): takeBack(notice)
/// }
/// ```
public struct NotificationReceiver: Sendable {
    /// The most entries that a data map may have. Providers add a few of their own.
    public static let maximumFieldCount = 64
    /// The most bytes that a data map's names and values may have together. A provider's message has at most 4096
    /// (providers.md, FCM and APNs); this leaves room for other ways to deliver.
    public static let maximumByteCount = 16_384
    /// The longest group id that is taken for one, in bytes; senders' have 64 (protocol.md §3).
    public static let maximumGroupIdLength = 128
    // The base64 of the longest payload whose plaintext is read.
    private static let maximumPayloadLength = (ChatPayload.maximumByteCount + SealedPayload.overhead + 2) / 3 * 4

    private let keys: any PayloadKeySource
    private let spaces: any KnownSpaces

    /// A receiver.
    ///
    /// - Parameters:
    ///   - keys: where it finds the payload encryption keys, and the spaces they are of.
    ///   - spaces: the app's own rows of spaces, which go before what a payload says.
    public init(keys: some PayloadKeySource, spaces: some KnownSpaces = [String: KnownSpace]()) {
        self.keys = keys
        self.spaces = spaces
    }

    /// What to do about a push message.
    ///
    /// - Parameters:
    ///   - data: the data map as the provider delivered it; entries that are no text are left out.
    ///   - time: when it arrived, in seconds since 1970; the machine's time by default.
    public func receive(
        _ data: [String: String], at time: Int64 = DeviceTime.seconds()
    ) -> ReceivedNotification {
        switch open(data) {
        case .silent(let groupId):
            .silent(SilentNotice(groupId: groupId, reading: reading(in: data, groupId: groupId, at: time)))
        case .unreadable(let notification): .generic(notification)
        case .opened(let opened): render(opened, at: time)
        }
    }

    /// What a data map holds, before its plaintext is judged.
    package enum Opening: Sendable {
        case silent(groupId: String?)
        case unreadable(GenericNotification)
        case opened(OpenedNotification)
    }

    /// Decrypts a push message.
    package func open(_ data: [String: String]) -> Opening {
        if let breach = Self.breach(of: data) {
            return .unreadable(GenericNotification(groupId: nil, reason: breach))
        }
        let groupId = data[.groupId].flatMap { (1...Self.maximumGroupIdLength).contains($0.utf8.count) ? $0 : nil }
        do throws(GenericReason) {
            switch data[.type] {
            case "silent": return .silent(groupId: groupId)
            case "normal": return .opened(try decrypt(data, groupId: groupId))
            default: throw .unknownType
            }
        } catch {
            return .unreadable(GenericNotification(groupId: groupId, reason: error))
        }
    }

    private static func breach(of data: [String: String]) -> GenericReason? {
        guard data.count <= maximumFieldCount else {
            return .tooManyFields(limit: maximumFieldCount, found: data.count)
        }
        let byteCount = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return byteCount <= maximumByteCount ? nil : .tooLong(limit: maximumByteCount, found: byteCount)
    }

    private func decrypt(_ data: [String: String], groupId: String?) throws(GenericReason) -> OpenedNotification {
        guard let payload = data[.payload] else { throw .noPayload }
        let length = payload.utf8.count
        guard length <= Self.maximumPayloadLength else {
            throw .tooLong(limit: Self.maximumPayloadLength, found: length)
        }
        let keyId = data[.keyId] ?? ""
        guard let key = try key(withId: keyId) else { throw .unknownKey }
        guard let ciphertext = Base64.decode(payload) else { throw .payloadNotBase64 }
        do throws(SealError) {
            return OpenedNotification(
                plaintext: try key.open(ciphertext), keyId: keyId, ciphertext: ciphertext,
                signature: data[.signature].flatMap(Base64.decode), groupId: groupId
            )
        } catch {
            throw .notOpened(error)
        }
    }

    private func key(withId id: String) throws(GenericReason) -> SymmetricKey? {
        do throws(KeyCacheError) { return try keys.key(withId: id) } catch { throw .keyUnavailable(error) }
    }

    // What cannot be opened, was made by another account or names another space is as good as nothing.
    private func reading(in data: [String: String], groupId: String?, at time: Int64) -> SignedReading? {
        guard
            data[.payload] != nil, let opened = try? decrypt(data, groupId: groupId),
            let payload = try? ReadPayload(json: opened.plaintext),
            let provenance = try? opened.provenance(
                spaceId: payload.spaceId.string, senderId: payload.senderId.string, keys: keys, at: time),
            provenance.accounts.contains(provenance.sender)
        else { return nil }
        return SignedReading(payload, by: provenance.sender)
    }

    private func render(_ opened: OpenedNotification, at time: Int64) -> ReceivedNotification {
        do throws(GenericReason) {
            let payload: ChatPayload
            do throws(PayloadError) { payload = try ChatPayload(json: opened.plaintext) } catch {
                throw .notAPayload(error)
            }
            // A payload that leaves its type out has 0 (protocol.md §3, "tolerates absent numbers").
            guard [0, ChatPayload.newMessageType].contains(payload.type) else {
                throw .unsupportedKind(type: payload.type)
            }
            let spaceId = payload.spaceId.string
            let provenance = try opened.provenance(
                spaceId: spaceId, senderId: payload.senderId.string, keys: keys, at: time)
            let space = spaces.space(withId: spaceId)
            return .message(RenderedNotification(payload, provenance, known: space, groupId: opened.groupId))
        } catch {
            return .generic(GenericNotification(groupId: opened.groupId, reason: error))
        }
    }
}
