import Glibc

/// State under the system's lock, with a way to wait for it to change: for threads that block, never for tasks.
///
/// Unchecked because the state is mutable: it is reached only through the methods, while the lock is held.
package final class SystemMonitor<State: ~Copyable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    package init(_ state: consuming sending State) {
        self.state = state
        lock = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A step of the wall clock makes no wait longer or shorter.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

    /// Calls `body` with the lock held, and wakes all who wait; `body` must not lock again.
    package func withLock<R, E: Error>(_ body: (inout sending State) throws(E) -> sending R) throws(E) -> sending R {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(lock)
        }
        return try body(&state)
    }

    /// Waits on the calling thread until `body`, called with the lock held, gives a result.
    ///
    /// - Parameter limit: how long to wait at most; `nil` for as long as it takes.
    /// - Returns: `nil` when the time is over.
    package func wait<R>(
        within limit: Duration? = nil, until body: (inout sending State) -> sending R?
    ) -> sending R? {
        let deadline = limit.map(Self.time(after:))
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&state) { return result }
            if var deadline {
                // The time may be over while the last look finds nothing.
                guard pthread_cond_timedwait(changed, lock, &deadline) != ETIMEDOUT else { return body(&state) }
            } else {
                pthread_cond_wait(changed, lock)
            }
        }
    }

    private static func time(after duration: Duration) -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let (seconds, attoseconds) = max(duration, .zero).components
        let nanoseconds = now.tv_nsec + Int(attoseconds / 1_000_000_000)
        return timespec(
            tv_sec: now.tv_sec + Int(clamping: seconds) + nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000)
    }
}
