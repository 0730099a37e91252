public import PushCrypto

/// Where a receiver looks up the payload encryption keys that it holds, and the spaces that they are of.
public protocol PayloadKeySource: Sendable {
    /// The key filed under an id.
    ///
    /// - Parameter id: as it came with the notification. Ids are compared exactly: one in upper case is another id
    ///   (protocol.md §4).
    /// - Returns: `nil` when there is none.
    /// - Throws: ``KeyCacheError`` when there is one that can not be read.
    func key(withId id: String) throws(KeyCacheError) -> SymmetricKey?

    /// How a key was filed for a space. Several spaces may share a key; each has a filing of its own.
    ///
    /// - Parameters:
    ///   - id: the key's.
    ///   - spaceId: the space that a payload names.
    /// - Returns: `nil` when the key was never filed for that space.
    /// - Throws: ``KeyCacheError`` when there may be a filing, but it can not be read.
    func filing(ofKeyWithId id: String, spaceId: String) throws(KeyCacheError) -> KeyFiling?
}

/// Payload encryption keys in memory.
public struct KeyTable: PayloadKeySource {
    private var keys: [String: SymmetricKey] = [:]
    private var filings: [String: [String: KeyFiling]] = [:]

    /// A table without keys.
    public init() {}

    /// Files each key under the id given for it, for one space.
    public init(_ keys: [String: SymmetricKey], spaceId: String) {
        for (id, key) in keys { file(key, withId: id, spaceId: spaceId) }
    }

    /// Files a key for a space.
    public mutating func file(
        _ key: SymmetricKey, withId id: String, spaceId: String, _ filing: KeyFiling = KeyFiling()
    ) {
        keys[id] = key
        filings[id, default: [:]][spaceId] = filing
    }

    public func key(withId id: String) -> SymmetricKey? {
        keys[id]
    }

    public func filing(ofKeyWithId id: String, spaceId: String) -> KeyFiling? {
        filings[id]?[spaceId]
    }
}
