import Locks

/// Runs tasks one job at a time, in the order that a test chooses: actors and child tasks of a task that prefers this
/// executor run on it too.
public final class StepExecutor: TaskExecutor {
    private let jobs = SystemLock<[UnownedJob]>([])

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// How many jobs could run now.
    public var count: Int { jobs.withLock { $0.count } }

    /// Runs one of the jobs that could run now to its next suspension, on the calling thread.
    public func run(_ index: Int) {
        let job = jobs.withLock { $0.remove(at: index) }
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
