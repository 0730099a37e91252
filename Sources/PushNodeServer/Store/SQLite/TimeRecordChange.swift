import SQLiteStorage

/// Keeps what the node's clocks say, with changes that are committed anyway.
final class TimeRecordChange: PendingChange {
    let isDurable = false
    private let record: TimeRecord

    init(_ record: TimeRecord) {
        self.record = record
    }

    func make(on connection: SQLiteConnection) throws(SQLiteError) {
        try connection.record(record)
    }

    // Nobody waits for it: what is not kept now is kept with the next changes.
    func succeed() {}
    func fail(_ error: StoreError) {}
}
