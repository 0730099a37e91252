internal import Synchronization

/// Something to run on the loop's thread.
enum LoopJob: Sendable {
    /// A step of a task that is isolated to the loop.
    case step(UnownedJob)
    /// A closure that needs no task.
    case action(@Sendable () -> Void)
}

/// The jobs that wait for the loop's thread, put in from any thread.
final class JobQueue: Sendable {
    private struct State {
        var jobs: [LoopJob] = []
        var isClosed = false
        var isWakeupPending = false
    }

    private let state = Mutex(State())

    /// Puts a job in.
    ///
    /// - Parameters:
    ///   - fromConsumer: whether the loop's own thread calls, which looks again before it sleeps.
    ///   - wake: called under the lock, so that it never runs once the queue is closed.
    /// - Returns: `false` when the queue is closed; the job is not in it then.
    func add(_ job: LoopJob, fromConsumer: Bool, wake: () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            if !fromConsumer, !state.isWakeupPending {
                state.isWakeupPending = true
                wake()
            }
            return true
        }
    }

    /// Takes all jobs out, in order. `storage` is emptied and left to the queue, so that two buffers serve for ever.
    func take(into storage: inout [LoopJob]) {
        storage.removeAll(keepingCapacity: true)
        state.withLock { state in
            state.isWakeupPending = false
            swap(&state.jobs, &storage)
        }
    }

    /// Closes the queue if it is empty.
    func closeIfEmpty() -> Bool {
        state.withLock { state in
            guard state.jobs.isEmpty else { return false }
            state.isClosed = true
            return true
        }
    }
}
