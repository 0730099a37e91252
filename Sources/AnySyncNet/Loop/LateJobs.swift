internal import CUV
internal import Glibc
internal import Synchronization

/// Runs what is still enqueued on a loop whose thread has ended: the last steps of tasks that find everything closed.
///
/// They run one after the other on a thread that lives as long as there are any, so isolation to the loop still holds.
final class LateJobs: Sendable {
    private struct State {
        var jobs: [LoopJob] = []
        var isRunning = false
    }

    private let state = Mutex(State())

    /// Runs `job` after those before it.
    func add(_ job: LoopJob, of loop: EventLoop) {
        let start = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard start else { return }
        let context = Unmanaged.passRetained(Context(queue: self, loop: loop))
        var thread = uv_thread_t()
        let status = uv_thread_create(&thread, { argument in
            guard let argument else { return }
            let context = Unmanaged<Context>.fromOpaque(argument).takeRetainedValue()
            context.queue.run(for: context.loop)
        }, context.toOpaque())
        guard status == 0 else {
            // No thread can be had: run here, which is where the job was enqueued.
            context.release()
            run(for: loop)
            return
        }
        pthread_detach(thread)
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

    private final class Context {
        let queue: LateJobs
        let loop: EventLoop

        init(queue: LateJobs, loop: EventLoop) {
            self.queue = queue
            self.loop = loop
        }
    }
}
