public import ProtoWire
public import PushCrypto

/// The spaces of one account, as whoever keeps them hands them to push: a host with a sync of its own, or the account
/// store of the `any` server.
///
/// It answers from what is on the device and never waits for a network: a space whose chats are still being loaded is
/// an error, not a list without them. **What can not be read whole is an error.** A list with something missing would
/// be taken at its word, and could unmute what the missing part mutes; an error never unmutes anything. Every call
/// returns soon after its task is cancelled.
///
/// Errors end up in logs and in `any push doctor`, cut to a line: they carry no key, no token, no text of the user's.
public protocol SpaceDirectory: Sendable {
    /// Every space row of the account, whatever its status, in any order.
    ///
    /// - Throws: when not all rows, or not all their notify modes, could be read.
    func spaces() async throws -> [DirectorySpace]

    /// One row.
    ///
    /// It is asked for each message that the account sends, so a directory with many spaces should look it up. The
    /// default searches ``spaces()``.
    ///
    /// - Returns: the row, `nil` when the account has no such space.
    /// - Throws: when that could not be read.
    func space(_ id: String) async throws -> DirectorySpace?

    /// The raw records of a space's ACL log, in order and exactly as they were stored: they are verified anew.
    ///
    /// - Parameters:
    ///   - spaceId: the space.
    ///   - index: the first record that is wanted; the root is record 0.
    ///   - limit: how many records are wanted at most. Fewer mean that the log ends with them.
    /// - Returns: the records, none when the log has no record `index`.
    /// - Throws: when the log could not be read.
    func aclRecords(of spaceId: String, from index: Int, limit: Int) async throws -> [RawRecordWithId]

    /// Every chat object of a space, in the space's order.
    ///
    /// - Throws: when not all chats, or not all their notify modes, could be read.
    func chats(of spaceId: String) async throws -> [DirectoryChat]

    /// One chat object of a space.
    ///
    /// It is asked for each message that the account sends. The default searches ``chats(of:)``.
    ///
    /// - Returns: the chat, `nil` when the space has no such chat.
    /// - Throws: when that could not be read.
    func chat(_ id: String, of spaceId: String) async throws -> DirectoryChat?

    /// The account's own name, which others see in notifications; empty when it has none.
    func profileName() async throws -> WireString

    /// The changes from now on; each call makes a stream of its own. See ``DirectoryChangeFeed``.
    ///
    /// A change is told after the calls above can see it. Changes that were missed are made good within minutes, for
    /// everything is read anew now and then.
    func changes() -> AsyncStream<DirectoryChange>
}

extension SpaceDirectory {
    public func space(_ id: String) async throws -> DirectorySpace? {
        try await spaces().first { $0.id == id }
    }

    public func chat(_ id: String, of spaceId: String) async throws -> DirectoryChat? {
        try await chats(of: spaceId).first { $0.id == id }
    }
}
