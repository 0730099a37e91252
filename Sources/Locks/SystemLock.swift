import Glibc

/// State under the system's lock.
///
/// The standard library's `Mutex` would do the same, but ThreadSanitizer does not see it on Linux and reports every handover
/// under it as a race. This one it sees, so a run of the tests under it means something.
///
/// Unchecked because the state is mutable: it is reached only through `withLock`, while the lock is held.
package final class SystemLock<State: ~Copyable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    package init(_ state: consuming sending State) {
        self.state = state
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Calls `body` with the lock held; `body` must not lock again.
    package func withLock<R, E: Error>(_ body: (inout sending State) throws(E) -> sending R) throws(E) -> sending R {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&state)
    }
}
