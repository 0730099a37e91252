import SQLiteStorage

/// Commits many changes in one transaction, so that they share the cost of reaching the disk. A change that fails takes
/// nothing of the others with it.
struct GroupCommit {
    private let connection: SQLiteConnection
    private let file: StoreFile
    private var made: [any PendingChange] = []

    /// - Parameters:
    ///   - connection: outside of any transaction.
    ///   - file: what the connection is open on.
    init(_ connection: SQLiteConnection, of file: StoreFile) {
        self.connection = connection
        self.file = file
    }

    /// Makes the changes in order and answers every one of them.
    mutating func commit(_ changes: [any PendingChange]) {
        var rest = changes[...]
        while let change = rest.popFirst() {
            do throws(SQLiteError) {
                if !connection.isInTransaction { try connection.execute("BEGIN IMMEDIATE") }
                try make(change)
                made.append(change)
            } catch {
                change.fail(StoreError(error, path: file.path))
                // A full or failing disk ends the whole transaction: what was made in it is gone too.
                if !connection.isInTransaction { failMade(error) }
            }
        }
        guard connection.isInTransaction else { return }
        do throws(SQLiteError) {
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            return failMade(error)
        }
        // Looked at once it is on the disk: an Ok for a file that was removed meanwhile would be an empty one.
        let isInPlace = connection.isInPlace
        for change in made {
            if isInPlace || !change.isDurable { change.succeed() } else { change.fail(.moved(path: file.path)) }
        }
        made = []
    }

    private func make(_ change: any PendingChange) throws(SQLiteError) {
        try connection.run("SAVEPOINT change")
        do throws(SQLiteError) {
            try change.make(on: connection)
        } catch {
            if connection.isInTransaction { try connection.run("ROLLBACK TO change") }
            throw error
        }
        try connection.run("RELEASE change")
    }

    private mutating func failMade(_ error: SQLiteError) {
        for change in made { change.fail(StoreError(error, path: file.path)) }
        made = []
    }
}
