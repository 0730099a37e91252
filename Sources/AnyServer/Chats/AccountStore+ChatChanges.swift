import PushCrypto
import SQLiteStorage

// What the chats of a space have to do with its export, import and deletion.
extension AccountStore {
    /// Changes of a space's chats, for an export.
    struct ChatChangePage: Sendable {
        /// The marshalled changes with their ids, in an order in which they can be imported: any is one.
        var changes: [(id: String, bytes: [UInt8])] = []
        /// Where the next page begins, `nil` when this is the last.
        var next: String?
    }

    /// One page of the changes of all chats of a space, in the order in which they came.
    ///
    /// - Parameters:
    ///   - cursor: ``ChatChangePage/next`` of the page before; `nil` for the first. Comes from a client.
    ///   - byteLimit: about how many bytes of changes; at least one change is given when there is one.
    /// - Returns: `nil` for a cursor that is none.
    func chatChanges(
        of spaceId: String, after cursor: String?, byteLimit: Int, _ connection: SQLiteConnection
    ) throws -> ChatChangePage? {
        guard let position = cursor.map({ Int64($0) }) ?? 0, position >= 0 else { return nil }
        let changes = ChangeLog(connection: connection)
        let entries = try changes.changes(of: spaceId, after: position, byteCount: byteLimit)
        var page = ChatChangePage(changes: entries.map { ($0.id, $0.bytes) })
        if let last = entries.last, try changes.hasChanges(of: spaceId, after: last.number) {
            page.next = String(last.number)
        }
        return page
    }

    /// Takes an imported change of a chat into account, whose author was judged and whose content opened. Tells
    /// ``AccountEvent/chatChanged(spaceId:chatId:)`` when it changes anything.
    ///
    /// One that makes no sense here is kept and changes nothing, see ``ChatFold``.
    ///
    /// - Returns: whether it is new here.
    func importChatChange(
        _ change: SignedChange, _ content: ChangeContent, _ connection: SQLiteConnection
    ) throws -> Bool {
        guard try !ChangeLog(connection: connection).has(change.id) else { return false }
        if let chatId = try fold(change.spaceId, connection).join(change, content) {
            tell(.chatChanged(spaceId: change.spaceId, chatId: chatId))
        }
        return true
    }

    /// Forgets everything about the chats of a space.
    func dropChats(of spaceId: String, _ connection: SQLiteConnection) throws {
        try ChatTable(connection: connection).drop(spaceId)
        if let outbox { try ReadingTable(connection: connection, now: outbox.now()).drop(of: spaceId) }
        try SettingTable(connection: connection).dropChats(of: spaceId)
    }
}
