import SQLiteStorage

/// A change that waits to be committed with others.
protocol PendingChange: AnyObject {
    /// Whether it may only be answered once it would survive the loss of power.
    var isDurable: Bool { get }

    /// Makes the change inside a transaction.
    func make(on connection: SQLiteConnection) throws(SQLiteError)

    /// Answers that the change is committed. Called after ``make(on:)``.
    func succeed()

    /// Answers that nothing of the change stays.
    func fail(_ error: StoreError)
}

/// A change that hands a value back.
final class Change<Value: Sendable>: PendingChange {
    let isDurable: Bool
    private let body: @Sendable (SQLiteConnection) throws(SQLiteError) -> Value
    private let continuation: CheckedContinuation<Result<Value, StoreError>, Never>
    private var value: Value?

    init(
        isDurable: Bool, body: @escaping @Sendable (SQLiteConnection) throws(SQLiteError) -> Value,
        continuation: CheckedContinuation<Result<Value, StoreError>, Never>
    ) {
        self.isDurable = isDurable
        self.body = body
        self.continuation = continuation
    }

    func make(on connection: SQLiteConnection) throws(SQLiteError) {
        value = try body(connection)
    }

    func succeed() {
        guard let value else { return fail(.closed) }
        continuation.resume(returning: .success(value))
    }

    func fail(_ error: StoreError) {
        continuation.resume(returning: .failure(error))
    }
}
