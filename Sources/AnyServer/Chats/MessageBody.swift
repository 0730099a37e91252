import ProtoWire
import PushCrypto

/// What a message says when it is sent:
/// `Message { chatId:1, text:2, replyTo:3, repliedAuthor:4 marshalled public key, extras:5 JSON object }`.
///
/// The author of the message that is answered is in it, so that whom a message mentions depends on nothing that may not
/// have arrived yet. An author could name anyone there, as in any link of the text.
struct MessageBody: Hashable, Sendable {
    var chatId: String
    var text: String
    var replyTo: String?
    var repliedAuthor: PublicKey?
    var extras = MessageExtras()

    init(
        chatId: String, text: String, replyTo: String? = nil, repliedAuthor: PublicKey? = nil,
        extras: MessageExtras = MessageExtras()
    ) {
        self.chatId = chatId
        self.text = text
        self.replyTo = replyTo
        self.repliedAuthor = repliedAuthor
        self.extras = extras
    }

    /// Reads a body, from any member: held to what a request is held to.
    ///
    /// - Throws: ``ChangeError/malformed(_:)`` or ``ChangeError/wrongField(_:)``.
    init(_ bytes: [UInt8]) throws(ChangeError) {
        let fields = try ChangeFields(bytes)
        chatId = try fields.objectId(1, "chatId")
        text = try fields.text(2, "text", 0...ChatLimits.textByteCount)
        replyTo = fields.isAbsent(3) ? nil : try fields.text(3, "replyTo", 1...ChatLimits.nameByteCount)
        if !fields.isAbsent(4) {
            do throws(KeyError) {
                repliedAuthor = try PublicKey(marshalled: fields.bytes(4))
            } catch {
                throw .wrongField("repliedAuthor")
            }
        }
        if !fields.isAbsent(5) { extras = try MessageExtras(change: fields.bytes(5), in: "extras") }
        guard !text.isEmpty || extras.attachmentCount > 0 || extras.hasControl else { throw .wrongField("text") }
    }

    /// The protobuf message.
    func marshalled() -> [UInt8] {
        var writer = ProtoWriter(reserving: text.utf8.count + 256)
        writer.string(1, chatId)
        writer.string(2, text)
        writer.string(3, replyTo ?? "")
        writer.bytes(4, repliedAuthor?.marshalled ?? [])
        if !extras.isEmpty { writer.bytes(5, JSONWriter.bytes(.object(extras.fields))) }
        return writer.bytes
    }
}
