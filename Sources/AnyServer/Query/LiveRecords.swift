/// The records that live queries are about, as they are now or as they were read.
protocol LiveRecords: Sendable {
    /// The answer to a query.
    func result(of query: RecordQuery) async throws -> QueryResult

    /// Why a record that was in a query's window is not any more.
    func reason(_ id: String, in query: RecordQuery) async throws -> QueryChanges.Removal.Reason
}

/// Records that were read as a whole.
struct ListedRecords: LiveRecords {
    private let records: [JSONObject]

    init(_ records: [JSONObject]) {
        self.records = records
    }

    func result(of query: RecordQuery) -> QueryResult {
        query.result(of: records)
    }

    func reason(_ id: String, in query: RecordQuery) -> QueryChanges.Removal.Reason {
        guard let record = records.first(where: { $0.string("id") == id }) else { return .deleted }
        return query.filter.matches(record) ? .displaced : .filteredOut
    }
}
