import Locks

/// Runs tasks one job at a time, in an order that a seed chooses and repeats, and without real time: how busy the
/// machine is cannot be seen.
///
/// The tasks of a test prefer ``executor``, and its virtual clock moves when the test says so.
public final class RandomOrder: Sendable {
    /// What was awaited needs the clock to move, or something off the executor.
    public struct Stuck: Error {}

    /// Runs every task of the test.
    public let executor = StepExecutor()
    private let generator: SystemLock<SeededGenerator>

    public init(seed: UInt64) {
        generator = SystemLock(SeededGenerator(seed: seed))
    }

    /// Runs a test on a thread of its own, where waiting for a task is running it.
    ///
    /// - Parameters:
    ///   - seed: chooses the order.
    ///   - body: the test.
    public static func run(seed: UInt64, _ body: @escaping @Sendable (RandomOrder) throws -> Void) async throws {
        let result = await OwnThread.run { Result { try body(RandomOrder(seed: seed)) } }
        try result.get()
    }

    /// Does something to its end. What else can go on may come before each of its steps.
    @discardableResult
    public func finish<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
        let end = SystemLock<Result<T, any Error>?>(nil)
        Task(executorPreference: executor) {
            let result: Result<T, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            end.withLock { $0 = result }
        }
        while true {
            if let result = end.withLock({ $0 }) { return try result.get() }
            guard step() else { throw Stuck() }
        }
    }

    /// Takes so many steps at most, and as many as there are without a number.
    public func run(_ limit: Int = .max) {
        var taken = 0
        while taken < limit, step() { taken += 1 }
    }

    private func step() -> Bool {
        let count = executor.count
        guard count > 0 else { return false }
        executor.run(generator.withLock { Int.random(in: 0..<count, using: &$0) })
        return true
    }
}
