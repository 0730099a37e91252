internal import Glibc

/// State under the system's lock, for what threads hand over to a loop or to one another all the time.
///
/// `Mutex` would do the same, but when it is contended ThreadSanitizer does not see it on Linux and reports every
/// handover.
///
/// Unchecked because the state is mutable: it is reached only through ``withLock(_:)``, while the lock is held.
final class HandoverLock<State>: @unchecked Sendable {
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
    func withLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body(&state)
    }
}
