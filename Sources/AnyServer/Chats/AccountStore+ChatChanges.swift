import SQLiteStorage

// What the chats of a space have to do with its export, import and deletion.
extension AccountStore {
    /// Changes of a space's chats, for an export.
    struct ChatChangePage: Sendable {
        /// The marshalled changes with their ids, in an order in which they can be imported.
        var changes: [(id: String, bytes: [UInt8])] = []
        /// Where the next page begins, `nil` when this is the last.
        var next: String?
    }

    /// One page of the changes of all chats of a space.
    ///
    /// - Parameters:
    ///   - cursor: ``ChatChangePage/next`` of the page before; `nil` for the first. Comes from a client.
    ///   - byteLimit: about how many bytes of changes; at least one change is given when there is one.
    /// - Returns: `nil` for a cursor that is none.
    func chatChanges(
        of spaceId: String, after cursor: String?, byteLimit: Int, _ connection: SQLiteConnection
    ) throws -> ChatChangePage? {
        cursor == nil ? ChatChangePage() : nil
    }

    /// Takes an imported change of a chat into account, whose author was judged and whose content opened. Tells
    /// ``AccountEvent/chatChanged(spaceId:chatId:)`` when it changes anything.
    ///
    /// - Returns: whether it is new here.
    /// - Throws: ``ChangeError`` for a content that makes no sense.
    func importChatChange(
        _ change: SignedChange, _ content: ChangeContent, _ connection: SQLiteConnection
    ) throws -> Bool {
        false
    }

    /// Every chat of a space, the general chat first.
    ///
    /// - Throws: when not all of them, or not all their settings, could be read.
    func chats(of spaceId: String) throws -> [ChatInfo] {
        throw SpaceError.damaged("no chats yet")
    }

    /// Forgets everything about the chats of a space.
    func dropChats(of spaceId: String, _ connection: SQLiteConnection) throws {}
}
