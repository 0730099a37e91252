import SQLiteStorage

/// The subscribers of several topics as one ascending run of accounts without repeats.
///
/// Subscribers are read a few at a time and only as far as they are asked for, so a step costs what it yields, however
/// many there are; a topic with one subscriber is read once.
struct SubscriberMerge {
    private struct Run {
        let topic: Int64
        var accounts: ArraySlice<Int64> = []
        var last: Int64
        var page: Int
        var isExhausted = false
    }

    private let connection: SQLiteConnection
    private let maximumPage: Int
    private var runs: [Run]
    /// How many subscriptions were read.
    private(set) var rowsRead = 0

    /// - Parameters:
    ///   - topics: the topics' numbers.
    ///   - cursor: the last account not to be named.
    ///   - limit: about how many accounts will be asked for.
    init(_ connection: SQLiteConnection, topics: [Int64], after cursor: Int64, limit: Int) {
        self.connection = connection
        maximumPage = max(limit, 1)
        let page = max(limit / max(topics.count, 1), 8)
        runs = Set(topics).map { Run(topic: $0, last: cursor, page: page) }
    }

    /// The next account, `nil` after the last.
    mutating func next() throws(SQLiteError) -> Int64? {
        for index in runs.indices {
            if runs[index].accounts.isEmpty, !runs[index].isExhausted { try fill(index) }
        }
        runs.removeAll { $0.accounts.isEmpty }
        guard let account = runs.compactMap(\.accounts.first).min() else { return nil }
        for index in runs.indices where runs[index].accounts.first == account {
            runs[index].accounts.removeFirst()
        }
        return account
    }

    private mutating func fill(_ index: Int) throws(SQLiteError) {
        let run = runs[index]
        let accounts = try connection.all(
            "SELECT account FROM subscription WHERE topic = ? AND account > ? ORDER BY account LIMIT ?",
            .integer(run.topic), .integer(run.last), .integer(Int64(run.page))
        ) { $0.integer(0) }
        rowsRead += accounts.count
        runs[index].isExhausted = accounts.count < run.page
        runs[index].last = accounts.last ?? run.last
        runs[index].page = min(run.page * 2, maximumPage)
        runs[index].accounts = accounts[...]
    }
}
