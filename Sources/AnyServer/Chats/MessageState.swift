import PushCrypto

/// What has become of a message by all changes that are known, in whatever order they came: it joins them, so any order
/// gives the same.
///
/// Only a message's author edits and deletes it. Who that is may not be known yet when an edit arrives, so until the
/// message itself is there the last edit of everyone is kept; what others have made is forgotten then. A deletion wins
/// over every edit, earlier or later.
struct MessageState: Hashable, Sendable {
    /// The message as it was sent.
    struct Creation: Hashable, Sendable {
        let order: ChangeOrder
        let author: PublicKey
        /// In milliseconds since 1970, as the author has it.
        let createdAt: Int64
        var body: MessageBody
    }

    /// A text that has taken the place of the first.
    struct Edit: Hashable, Sendable {
        let order: ChangeOrder
        /// In milliseconds since 1970, as the author has it.
        let editedAt: Int64
        let text: String
        /// The agent from then on; `nil` for the one that the message was sent with.
        var agent: JSONObject?
    }

    /// `nil` while the message has not arrived.
    private(set) var creation: Creation?
    /// The last edit of each author; of a message that is there its author's only.
    private(set) var edits: [PublicKey: Edit]
    /// Who has deleted it; of a message that is there its author only.
    private(set) var deleters: Set<PublicKey>

    /// A state that was kept.
    init(creation: Creation? = nil, edits: [PublicKey: Edit] = [:], deleters: Set<PublicKey> = []) {
        self.creation = creation
        self.edits = edits
        self.deleters = deleters
    }

    /// Joins the message itself.
    mutating func create(_ creation: Creation) {
        self.creation = creation
        edits = edits.filter { $0.key == creation.author }
        deleters.formIntersection([creation.author])
        forgetDeleted()
    }

    /// Joins an edit. An edit by somebody else than the message's author is no edit.
    mutating func edit(_ edit: Edit, by author: PublicKey) {
        guard isByAuthor(author), !isDeleted else { return }
        if let known = edits[author], known.order > edit.order { return }
        edits[author] = edit
    }

    /// Joins a deletion. A deletion by somebody else than the message's author is none.
    mutating func delete(by author: PublicKey) {
        guard isByAuthor(author) else { return }
        deleters.insert(author)
        forgetDeleted()
    }

    /// Whether the message is there and deleted.
    var isDeleted: Bool {
        creation.map { deleters.contains($0.author) } ?? false
    }

    /// The text now; `nil` when there is no message.
    var text: String? {
        creation.map { lastEdit?.text ?? $0.body.text }
    }

    /// What it carries beside its text now.
    var extras: MessageExtras {
        var extras = creation?.body.extras ?? MessageExtras()
        if let agent = lastEdit?.agent { extras.agent = agent }
        return extras
    }

    /// The edit that counts.
    var lastEdit: Edit? {
        creation.flatMap { edits[$0.author] }
    }

    /// Whom the message mentions now; nobody when it is deleted or not there.
    var mentions: [PublicKey] {
        guard let creation, !isDeleted, let text else { return [] }
        return Mentions.of(text: text, replyingTo: creation.body.repliedAuthor)
    }

    private func isByAuthor(_ author: PublicKey) -> Bool {
        creation == nil || creation?.author == author
    }

    /// Nothing of a deleted message's content stays.
    private mutating func forgetDeleted() {
        guard isDeleted, var creation else { return }
        creation.body = MessageBody(chatId: creation.body.chatId, text: "")
        self.creation = creation
        edits = [:]
    }
}
