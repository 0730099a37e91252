package import AnySyncWire

extension EventLoop {
    /// Waits until the loop's time has come to `deadline`; returns early when the task is cancelled. From any thread.
    ///
    /// A loop that shuts down fires no timer any more: whoever sleeps on it must be cancelled.
    package func sleep(until deadline: MonotonicTime) async {
        let sleeper = Sleeper()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                execute { sleeper.start(on: self, deadline, continuation) }
            }
        } onCancel: {
            execute { sleeper.wake() }
        }
    }
}

/// One sleep. Unchecked because it is used on the loop's thread only.
private final class Sleeper: @unchecked Sendable {
    private var timer: LoopTimer?
    private var continuation: CheckedContinuation<Void, Never>?
    private var isAwake = false

    func start(on loop: EventLoop, _ deadline: MonotonicTime, _ continuation: CheckedContinuation<Void, Never>) {
        // Cancelled before it began.
        guard !isAwake else { return continuation.resume() }
        self.continuation = continuation
        timer = loop.schedule(at: deadline) { [weak self] in self?.wake() }
    }

    func wake() {
        isAwake = true
        timer?.cancel()
        timer = nil
        continuation?.resume()
        continuation = nil
    }
}
