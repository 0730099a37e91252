import ProtoWire
import PushCrypto

/// One notification as a shelf remembers it: no word of what it says.
struct ShelfEntry: Hashable, Sendable {
    /// How many versions of a message are told apart; an edit that mentions somebody new is one.
    static let versionLimit = 16
    /// How many accounts are kept; as many as a filing has.
    static let accountLimit = FilingRecord.maximumAccountCount

    let identifier: String
    let groupId: String?
    /// The first bytes of SHA-256 of the message's id; empty for a generic notification.
    let messageHash: [UInt8]
    /// The accounts of this device that are in the space, as raw keys.
    let accounts: [[UInt8]]
    /// When it was first shown, in seconds since 1970.
    let arrivedAt: Int64
    /// What it has said so far, oldest first, by the messages' ``RenderedNotification/contentHash``.
    var versions: [[UInt8]]
    var isShown = true

    init(_ message: RenderedNotification, at time: Int64) {
        identifier = message.identifier
        groupId = message.groupId
        messageHash = Self.hash(message.messageId)
        accounts = message.accounts.prefix(Self.accountLimit).map(\.rawRepresentation)
        arrivedAt = time
        versions = [message.contentHash]
    }

    init(_ generic: GenericNotification, at time: Int64) {
        // One for each group stands for all of them, however many came.
        identifier = "generic/\(generic.groupId ?? "")"
        groupId = generic.groupId
        messageHash = []
        accounts = []
        arrivedAt = time
        versions = []
    }

    /// What a message's id is remembered as.
    static func hash(_ messageId: String) -> [UInt8] {
        Array(Digest.sha256(Array(messageId.utf8)).prefix(16))
    }

    /// Takes in another version of the message.
    mutating func edit(_ version: [UInt8]) {
        versions = (versions + [version]).suffix(Self.versionLimit)
        isShown = true
    }

    // MARK: On disk

    /// ```
    /// Entry { identifier:1 groupId:2 messageHash:3 accounts:4 repeated arrivedAt:5 versions:6 repeated isShown:7 }
    /// ```
    func write(to writer: inout ProtoWriter) {
        writer.string(1, identifier)
        writer.string(2, groupId ?? "")
        writer.bytes(3, messageHash)
        for account in accounts { writer.element(4, account) }
        writer.int64(5, arrivedAt)
        for version in versions { writer.element(6, version) }
        writer.varint(7, isShown ? 1 : 0)
    }

    init(_ bytes: ArraySlice<UInt8>) throws(ProtoError) {
        var (identifier, groupId): (String, String) = ("", "")
        var (messageHash, arrivedAt, isShown): ([UInt8], Int64, Bool) = ([], 0, false)
        var (accounts, versions): ([[UInt8]], [[UInt8]]) = ([], [])
        var reader = ProtoReader(bytes)
        while let field = try reader.nextField() {
            switch field {
            case 1: identifier = try reader.string().string
            case 2: groupId = try reader.string().string
            case 3: messageHash = try reader.bytes()
            case 4: accounts.append(try reader.bytes())
            case 5: arrivedAt = try reader.int64()
            case 6: versions.append(try reader.bytes())
            case 7: isShown = try reader.varint() != 0
            default: try reader.skip()
            }
        }
        self.identifier = identifier
        self.groupId = groupId.isEmpty ? nil : groupId
        self.messageHash = messageHash
        self.accounts = accounts
        self.arrivedAt = arrivedAt
        self.versions = versions
        self.isShown = isShown
    }
}
