/// A cache that never holds more than about a given number of entries and costs a constant for each use.
///
/// Two generations: entries go into the young one; when that is full it becomes the old one, and what was old and not used
/// since is forgotten.
package struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generationSize: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// An empty cache.
    ///
    /// - Parameter capacity: how many entries at most, at least 2.
    package init(capacity: Int) {
        generationSize = Swift.max(capacity / 2, 1)
    }

    /// How many entries are held.
    package var count: Int {
        young.count + old.count
    }

    /// The value of `key`; a value that is used stays.
    package mutating func value(for key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    /// Keeps a value.
    package mutating func insert(_ value: Value, for key: Key) {
        if young.count >= generationSize, young[key] == nil {
            old = young
            young = [:]
        }
        old[key] = nil
        young[key] = value
    }

    /// Forgets one value.
    package mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Forgets everything.
    package mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
