import ProtoWire
import PushCrypto

/// Which notifications a device shows: drops what was delivered twice or long ago, and takes back what was read elsewhere.
///
/// A value without a clock or storage; ``ShelfFile`` keeps one on disk. It remembers a bounded number of notifications,
/// shown or not, and forgets the oldest.
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

    /// How much older than the newest notification one may be, in seconds: seven days, the longest that a node keeps a
    /// notification. What is older was held back, or is sent again.
    public static let horizon: Int64 = 7 * 86_400
    /// How many accounts are remembered to sign their notices; no device has more.
    static let signerLimit = 64

    /// How many notifications are remembered.
    public let capacity: Int
    // Oldest first; `places` finds them by identifier.
    private var entries: [ShelfEntry] = []
    private var places: [String: Int] = [:]
    // When the newest was sent, or came where that is not known.
    private var newest: Int64 = 0
    // Accounts that have ever signed a notice, oldest first, as raw keys.
    private var signers: [[UInt8]] = []

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
    ///
    /// - Parameters:
    ///   - notification: what the receiver made of it.
    ///   - time: when it arrived, in seconds since 1970.
    ///   - sentAt: when it was sent, in seconds since 1970, where the way it came tells; messages themselves do not.
    public mutating func apply(
        _ notification: ReceivedNotification, at time: Int64 = DeviceTime.seconds(), sentAt: Int64? = nil
    ) -> Change {
        switch notification {
        case .message(let message): put(message, at: time, sentAt: sentAt)
        case .generic(let generic): put(generic, at: time)
        case .silent(let notice): retract(notice, at: time, sentAt: sentAt)
        }
    }

    // MARK: Showing

    // The same content again is a second delivery, also of something that was taken back; so is an earlier version of what
    // was edited. Other content is an edit.
    private mutating func put(_ message: RenderedNotification, at time: Int64, sentAt: Int64?) -> Change {
        // A clock that was ahead must not make all that comes old.
        let floor = min(newest, time).subtracting(Self.horizon)
        if let sentAt, sentAt < floor { return .nothing }
        let identifier = message.identifier
        if let place = places[identifier] {
            let version = message.contentHash
            guard !entries[place].versions.contains(version), entries[place].arrivedAt >= floor else { return .nothing }
            entries[place].edit(version)
        } else {
            append(ShelfEntry(message, at: time))
        }
        newest = max(min(newest, time), min(sentAt ?? time, time))
        return .show(identifier: identifier)
    }

    private mutating func put(_ generic: GenericNotification, at time: Int64) -> Change {
        let entry = ShelfEntry(generic, at: time)
        // The newest counts: one that was read before must not take back what has come since.
        if let place = places[entry.identifier] { entries[place] = entry } else { append(entry) }
        return .show(identifier: entry.identifier)
    }

    private mutating func append(_ entry: ShelfEntry) {
        if entries.count >= 2 * capacity { forget() }
        places[entry.identifier] = entries.count
        entries.append(entry)
    }

    // Half at a time, so that a notification costs the same however many were before it.
    private mutating func forget() {
        entries = Array(entries.suffix(capacity))
        places = Dictionary(uniqueKeysWithValues: zip(entries.map(\.identifier), entries.indices))
    }

    // MARK: Taking back

    private mutating func retract(_ notice: SilentNotice, at time: Int64, sentAt: Int64?) -> Change {
        if let reading = notice.reading {
            remember(reading.account.rawRepresentation)
            return retract(reading)
        }
        guard let groupId = notice.groupId else { return .nothing }
        // Up to when it was sent, as far as that is known.
        return retract { [signers] _, entry in
            // An account that signs its notices sends none without; whose notification a generic one is, nobody knows.
            let isOfSigner =
                entry.accounts.isEmpty ? !signers.isEmpty : entry.accounts.contains(where: signers.contains)
            return entry.groupId == groupId && entry.arrivedAt <= sentAt ?? time && !isOfSigner
        }
    }

    private mutating func retract(_ reading: SignedReading) -> Change {
        let account = reading.account.rawRepresentation
        let groupId = reading.groupId
        let isOfChat = { (entry: ShelfEntry) in
            entry.groupId == groupId && (entry.accounts.isEmpty || entry.accounts.contains(account))
        }
        let last = ShelfEntry.hash(reading.lastMessageId)
        let lastPlace = entries.lastIndex { isOfChat($0) && $0.messageHash == last }
        let lastArrival = lastPlace.map { entries[$0].arrivedAt }
        return retract { place, entry in
            guard isOfChat(entry) else { return false }
            if let lastPlace, let lastArrival, place <= lastPlace, entry.arrivedAt <= lastArrival { return true }
            // What came in the second of reading may have come after it.
            return entry.arrivedAt < reading.readAt / 1000
        }
    }

    private mutating func retract(where isRead: (Int, ShelfEntry) -> Bool) -> Change {
        var identifiers: [String] = []
        for place in entries.indices where entries[place].isShown && isRead(place, entries[place]) {
            identifiers.append(entries[place].identifier)
        }
        for identifier in identifiers {
            if let place = places[identifier] { entries[place].isShown = false }
        }
        return identifiers.isEmpty ? .nothing : .retract(identifiers: identifiers)
    }

    private mutating func remember(_ signer: [UInt8]) {
        guard !signers.contains(signer) else { return }
        signers = (signers + [signer]).suffix(Self.signerLimit)
    }

    // MARK: On disk

    /// The version that is written and read.
    static let version: UInt64 = 1

    /// The shelf's bytes.
    ///
    /// ```
    /// Shelf { version:1 newest:2 signers:3 repeated entries:4 repeated ShelfEntry }
    /// ```
    package func encoded() -> [UInt8] {
        var writer = ProtoWriter(reserving: entries.count * 256)
        writer.varint(1, Self.version)
        writer.int64(2, newest)
        for signer in signers { writer.element(3, signer) }
        for entry in entries { writer.message(4) { entry.write(to: &$0) } }
        return writer.bytes
    }

    /// Reads a shelf; more than `capacity` keeps is forgotten, the oldest first.
    package init(_ bytes: [UInt8], capacity: Int) throws(ShelfError) {
        self.init(capacity: capacity)
        var version: UInt64 = 0
        do throws(ProtoError) {
            var reader = ProtoReader(bytes)
            while let field = try reader.nextField() {
                switch field {
                case 1: version = try reader.varint()
                case 2: newest = try reader.int64()
                case 3: remember(try reader.bytes())
                case 4:
                    let entry = try ShelfEntry(try reader.slice())
                    if let place = places[entry.identifier] { entries[place] = entry } else { append(entry) }
                default: try reader.skip()
                }
            }
        } catch {
            throw .damaged
        }
        guard version > 0 else { throw .damaged }
        guard version == Self.version else { throw .unsupportedVersion(found: version) }
    }
}

extension Int64 {
    /// The difference, or the least number where there is none.
    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, isOverflow) = subtractingReportingOverflow(other)
        return isOverflow ? .min : difference
    }
}
