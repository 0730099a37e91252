import Synchronization

/// Wakes one waiting task; raising it while nobody waits wakes the next one to wait at once.
final class Signal: Sendable {
    private enum State {
        case idle
        case raised
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    /// Wakes the task that waits.
    func raise() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            switch state {
            case .idle, .raised:
                state = .raised
                return nil
            case .waiting(let continuation):
                state = .idle
                return continuation
            }
        }
        waiter?.resume()
    }

    /// Waits until the signal is raised or the task cancelled. One task at a time.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRaised = state.withLock { state in
                    guard case .raised = state else {
                        state = .waiting(continuation)
                        return false
                    }
                    state = .idle
                    return true
                }
                if isRaised { continuation.resume() }
            }
        } onCancel: {
            raise()
        }
    }
}
