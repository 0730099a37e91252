import Glibc

/// Runs calls that block on threads of their own: the threads of the pools are for tasks that go on, and a pool of two
/// is soon blocked whole.
public enum OwnThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs a body to its end on a new thread, and waits for it without blocking.
    public static func run<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            let work = Work { continuation.resume(returning: body()) }
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                    return nil
                }, Unmanaged.passRetained(work).toOpaque())
            precondition(status == 0, "no thread")
            pthread_detach(thread)
        }
    }
}
