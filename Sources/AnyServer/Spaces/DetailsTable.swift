import PushCrypto
import SQLiteStorage

/// The changes that decide a space's details. Of two changes of one field the one with the higher counter counts, and
/// with the same counter the one with the greater id, so that everybody who has seen the same changes shows the same.
///
/// A change that no longer decides any field never will again, so it is forgotten: at most one for each field stays.
struct DetailsTable {
    let connection: SQLiteConnection

    /// A change that was opened.
    private struct Opened {
        let change: SignedChange
        let counter: UInt64
        let details: SpaceDetails

        init(_ change: SignedChange, _ content: ChangeContent) throws(ChangeError) {
            self.change = change
            counter = content.counter
            details = try SpaceDetails(content.body)
        }

        func isBefore(_ other: Opened) -> Bool {
            (counter, change.id) < (other.counter, other.change.id)
        }
    }

    /// The marshalled changes of a space, which are no more than there are fields.
    func changes(of spaceId: String) throws(SQLiteError) -> [(id: String, bytes: [UInt8])] {
        try connection.all("SELECT id, change FROM details_change WHERE space = ? ORDER BY id", .text(spaceId)) {
            ($0.text(0), $0.bytes(1))
        }
    }

    /// The counter that the next change of a space gets.
    func nextCounter(of spaceId: String) throws(SQLiteError) -> UInt64 {
        let highest = try connection.first(
            "SELECT max(counter) FROM details_change WHERE space = ?", .text(spaceId)
        ) { UInt64(bitPattern: $0.integer(0)) }
        return min((highest ?? 0) + 1, ChangeContent.maximumCounter)
    }

    /// Takes a change into account whose author was checked.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - content: what it says, of kind ``ChangeKind/spaceDetails``.
    ///   - log: the space's log, which has the keys of the changes before.
    ///   - info: the row, whose details are brought up to date.
    /// - Returns: whether the change decides anything.
    /// - Throws: ``ChangeError`` for a change that makes no sense; ``SpaceError/damaged(_:)``; `SQLiteError`.
    func apply(
        _ change: SignedChange, _ content: ChangeContent, log: SpaceLog, to info: inout SpaceInfo
    ) throws -> Bool {
        let new = try Opened(change, content)
        var known: [Opened] = []
        for (id, bytes) in try changes(of: info.id) {
            if id == change.id { return false }
            known.append(try stored(bytes, log))
        }
        var winners: [SpaceDetails.Field: Opened] = [:]
        for candidate in known + [new] {
            for field in candidate.details.texts.keys where winners[field].map({ $0.isBefore(candidate) }) ?? true {
                winners[field] = candidate
            }
        }
        let kept = Set(winners.values.map(\.change.id))
        guard kept.contains(change.id) else { return false }
        for old in known where !kept.contains(old.change.id) {
            try connection.run(
                "DELETE FROM details_change WHERE space = ? AND id = ?", .text(info.id), .text(old.change.id)
            )
        }
        try connection.run(
            "INSERT INTO details_change (space, id, counter, change) VALUES (?, ?, ?, ?)",
            .text(info.id), .text(change.id), .integer(Int64(content.counter)), .bytes(change.bytes)
        )
        func text(_ field: SpaceDetails.Field) -> String? {
            winners[field]?.details.texts[field].flatMap { $0.isEmpty ? nil : $0 }
        }
        (info.name, info.description, info.iconCid) = (text(.name), text(.description), text(.iconCid))
        return true
    }

    /// Forgets a space's changes.
    func drop(_ spaceId: String) throws(SQLiteError) {
        try connection.run("DELETE FROM details_change WHERE space = ?", .text(spaceId))
    }

    // What was stored was judged before, so whatever is wrong with it now is damage.
    private func stored(_ bytes: [UInt8], _ log: SpaceLog) throws -> Opened {
        guard
            let change = try? SignedChange(stored: bytes), let key = log.readKey(change.readKeyRecordId),
            let content = try? change.content(readKey: key), let opened = try? Opened(change, content)
        else { throw SpaceError.damaged("a change of a space's details") }
        return opened
    }
}
