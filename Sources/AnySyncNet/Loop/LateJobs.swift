internal import Locks

/// Runs what is still enqueued on a loop whose thread has ended: the last steps of tasks that find everything closed.
///
/// They run one after the other on a thread that lives as long as there are any, so isolation to the loop still holds.
final class LateJobs: Sendable {
    private struct State {
        var jobs: [LoopJob] = []
        var isRunning = false
    }

    private let state = SystemLock(State())

    /// Runs `job` after those before it.
    func add(_ job: LoopJob, of loop: EventLoop) {
        let start = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard start else { return }
        // Without a thread they run here, which is where the job was enqueued.
        if !DetachedThread.start({ self.run(for: loop) }) { run(for: loop) }
    }

    private func run(for loop: EventLoop) {
        while let job = next() {
            loop.runLate(job)
        }
    }

    private func next() -> LoopJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
