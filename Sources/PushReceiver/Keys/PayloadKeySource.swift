public import PushCrypto

/// Where a receiver looks up the payload encryption keys that it holds.
public protocol PayloadKeySource: Sendable {
    /// The key filed under an id.
    ///
    /// - Parameter id: as it came with the notification. Ids are compared exactly: one in upper case is another id
    ///   (protocol.md §4).
    /// - Returns: `nil` when there is none.
    /// - Throws: ``KeyCacheError`` when there is one that can not be read.
    func key(withId id: String) throws(KeyCacheError) -> SymmetricKey?
}

/// Payload encryption keys in memory.
public struct KeyTable: PayloadKeySource {
    private let keys: [String: SymmetricKey]

    /// Files each key under the id given for it.
    public init(_ keys: [String: SymmetricKey]) {
        self.keys = keys
    }

    public func key(withId id: String) -> SymmetricKey? {
        keys[id]
    }
}
