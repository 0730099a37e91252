internal import Glibc

/// State under the system's lock.
///
/// What crosses between threads by way of a loop is under this one instead of `Mutex`, because ThreadSanitizer sees it:
/// it does not see `Mutex` on Linux, and would report every handover to a loop.
///
/// Unchecked because the state is mutable: it is reached only through `withLock`, while the lock is held.
final class SystemLock<State>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    init(_ state: sending State) {
        self.state = state
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Calls `body` with the lock held; `body` must not lock again.
    func withLock<R>(_ body: (inout sending State) -> sending R) -> sending R {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&state)
    }
}
