/// The time for a piece of work is over.
struct DeadlinePassed: Error {}

/// Does a piece of work within a time; work that is not done by then is cancelled and awaited.
///
/// - Parameters:
///   - limit: the time it may take.
///   - operation: the work. It must heed cancellation, for nothing ends a task that does not.
/// - Throws: ``DeadlinePassed``, or what `operation` throws.
func withDeadline<Result: Sendable>(
    _ limit: Duration, on clock: any Clock<Duration>, _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await operation() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw DeadlinePassed()
        }
        guard let result = try await group.next() else { throw DeadlinePassed() }
        return result
    }
}
