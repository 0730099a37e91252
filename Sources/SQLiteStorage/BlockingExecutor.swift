import Dispatch

/// Runs an actor that blocks, on files for instance, on a queue of its own: neither the network loop nor the pool of
/// Swift's tasks ever waits for a slow disk. Work runs in the order it was added.
package final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: names the queue in debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async {
            job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }

    /// Runs `work` after what was added before it.
    package func add(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
