/// Which notifications a device shows: drops what was delivered twice and takes back what was read elsewhere.
///
/// A value without a clock or storage. It remembers a bounded number of notifications, shown or not, and forgets the oldest.
public struct NotificationShelf: Sendable {
    /// What to do with the device's notifications.
    public enum Change: Hashable, Sendable {
        /// Show it under its identifier, in place of an older one with the same identifier.
        case show(identifier: String)
        /// Do nothing: it was shown before, or there is nothing to take back.
        case nothing
        /// Take these back.
        case retract(identifiers: [String])
    }

    private struct Entry {
        let identifier: String
        let groupId: String?
        var contentHash: Int
        var isShown: Bool
    }

    /// How many notifications are remembered.
    public let capacity: Int
    // Oldest first; `places` finds them by identifier.
    private var entries: [Entry] = []
    private var places: [String: Int] = [:]

    /// An empty shelf.
    ///
    /// - Parameter capacity: how many notifications are remembered, at least 1.
    public init(capacity: Int = 512) {
        self.capacity = max(capacity, 1)
    }

    /// The identifiers of what is shown, oldest first.
    public var shown: [String] {
        entries.filter(\.isShown).map(\.identifier)
    }

    /// Takes in a push message.
    public mutating func apply(_ notification: ReceivedNotification) -> Change {
        switch notification {
        case .message(let message):
            put(message.identifier, groupId: message.groupId, contentHash: message.hashValue, again: false)
        case .generic(let generic):
            // One for each group stands for all of them, however many came.
            put("generic/\(generic.groupId ?? "")", groupId: generic.groupId, contentHash: 0, again: true)
        case .silent(let groupId):
            retract(groupId)
        }
    }

    // The same content again is a second delivery, also of something that was taken back; other content is an edit.
    private mutating func put(_ identifier: String, groupId: String?, contentHash: Int, again: Bool) -> Change {
        if let place = places[identifier] {
            guard again || entries[place].contentHash != contentHash else { return .nothing }
            entries[place].contentHash = contentHash
            entries[place].isShown = true
            return .show(identifier: identifier)
        }
        if entries.count >= 2 * capacity { forget() }
        places[identifier] = entries.count
        entries.append(Entry(identifier: identifier, groupId: groupId, contentHash: contentHash, isShown: true))
        return .show(identifier: identifier)
    }

    private mutating func retract(_ groupId: String?) -> Change {
        guard let groupId else { return .nothing }
        var identifiers: [String] = []
        for place in entries.indices where entries[place].isShown && entries[place].groupId == groupId {
            entries[place].isShown = false
            identifiers.append(entries[place].identifier)
        }
        return identifiers.isEmpty ? .nothing : .retract(identifiers: identifiers)
    }

    // Half at a time, so that a notification costs the same however many were before it.
    private mutating func forget() {
        entries = Array(entries.suffix(capacity))
        places = Dictionary(uniqueKeysWithValues: zip(entries.map(\.identifier), entries.indices))
    }
}
