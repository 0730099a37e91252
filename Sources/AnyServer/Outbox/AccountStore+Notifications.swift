import ProtoWire
import PushAPI
import PushCrypto
import PushNode
import SQLiteStorage

// The notifications of what the account does in chats, written in the transaction of what they tell of. Each says what
// it came to, and none ever fails the write: only the store itself does.
extension AccountStore {
    /// Keeps the notification of a message that was sent.
    func notify(of message: StoredMessage, _ connection: SQLiteConnection) throws {
        try compose(in: message.spaceId, connection) { keys in
            let context = try context(of: message.chatId, in: message.spaceId, connection)
            return try composer.message(message, in: context, keys: keys)
        }
    }

    /// Keeps the notification of an edit, for those whom the message did not mention before.
    ///
    /// - Parameter before: whom it mentioned; `nil` when that is not known, which notifies nobody.
    func notify(ofEdit message: StoredMessage, mentionsBefore before: [PublicKey]?, _ connection: SQLiteConnection)
        throws
    {
        guard outbox != nil else { return }
        guard let before else { return tell(.notified(.earlierStateUnknown, spaceId: message.spaceId)) }
        let known = Set(before)
        let new = message.mentions.filter { !known.contains($0) }
        // Most edits are such: they cost no key.
        guard !new.isEmpty else { return tell(.notified(.nobodyNew, spaceId: message.spaceId)) }
        try compose(in: message.spaceId, connection) { keys in
            let context = try context(of: message.chatId, in: message.spaceId, connection)
            return try composer.edit(message, newMentions: new, in: context, keys: keys)
        }
    }

    /// Keeps a reading, whose notification is composed once it has waited.
    func notify(of reading: ChatReading, _ connection: SQLiteConnection) throws {
        guard let outbox else { return }
        try ReadingTable(connection: connection, now: outbox.now()).keep(reading, for: outbox.readDelay())
        tell(.readingKept)
    }

    /// Keeps the notification of a reading that has waited.
    func notify(ofKept reading: ChatReading, _ connection: SQLiteConnection) throws {
        try compose(in: reading.spaceId, connection) { keys in try composer.read(reading, keys: keys) }
    }

    private func compose(
        in spaceId: String, _ connection: SQLiteConnection,
        _ compose: (SpacePushKeys) throws -> OutgoingNotification?
    ) throws {
        guard let outbox else { return }
        let table = OutboxTable(connection: connection, now: outbox.now())
        let outcome: NotificationOutcome
        do {
            if let notification = try compose(try pushKeys(of: spaceId, connection)) {
                let request = notification.request.encoded()
                let hasRoom = try table.hasRoom(for: request.count, outbox)
                if hasRoom { try table.insert(notification, request) }
                outcome = hasRoom ? .kept : .dropped
            } else {
                outcome = .nobodyNew
            }
        } catch let failure as HookFailure {
            outcome = .failed(failure)
        } catch let error as ComposeError {
            outcome = .failed(.notComposed(error))
        } catch let error as SpaceError {
            outcome = .failed(.unavailable(reason: "\(error)"))
        }
        if let loss = outcome.loss { try table.lose(loss) }
        tell(.notified(outcome, spaceId: spaceId))
    }

    /// The keys of a space's notifications.
    ///
    /// - Throws: `HookFailure` when the account has none.
    private func pushKeys(of spaceId: String, _ connection: SQLiteConnection) throws -> SpacePushKeys {
        guard let space = try spaceTable(connection).space(spaceId), space.recordCount > 0 else {
            throw HookFailure.noKeys
        }
        let state = try log(of: space, connection).state
        if let known = pushKeys.value(for: spaceId), known.head == state.head { return known.keys }
        do throws(ACLKeyUnavailable) {
            let keys = try state.pushKeys()
            pushKeys.insert((state.head, keys), for: spaceId)
            return keys
        } catch {
            throw error.isAMembersLack ? HookFailure.unavailable(reason: "\(error)") : .noKeys
        }
    }

    /// The names to show; what can not be read is left empty, for a notification without a name is better than none.
    private func context(of chatId: String, in spaceId: String, _ connection: SQLiteConnection) throws -> ChatContext {
        let space = try unlessDamaged { try spaceTable(connection).space(spaceId)?.info }
        let chat = try unlessDamaged { try ChatTable(connection: connection).chat(chatId, in: spaceId) }
        let chatName = ChatInfo.shownName(chat?.name, isGeneral: chatId == ChatId.general(of: spaceId))
        return ChatContext(
            spaceName: WireString(space?.name ?? ""), chatName: WireString(chatName),
            senderName: WireString(try profileName(connection) ?? ""), isOneToOne: space?.spaceType == .oneToOne)
    }

    private func unlessDamaged<Value>(_ read: () throws -> Value?) throws -> Value? {
        do { return try read() } catch is SpaceError { return nil }
    }
}

extension NotificationOutcome {
    /// Why a notification that should have been sent will not be; `nil` for every other.
    fileprivate var loss: String? {
        switch self {
        case .kept, .nobodyNew, .earlierStateUnknown: nil
        case .dropped: "too many waited"
        case .failed(let failure): failure.description
        }
    }
}
