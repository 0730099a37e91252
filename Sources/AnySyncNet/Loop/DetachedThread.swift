internal import CUV
internal import Glibc

/// A thread that nobody waits for.
enum DetachedThread {
    private final class Context {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Runs `body` on a new thread.
    ///
    /// - Returns: `false`, with nothing run, when the system gives no thread.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Context(body))
        var thread = uv_thread_t()
        let status = uv_thread_create(
            &thread,
            { argument in
                guard let argument else { return }
                Unmanaged<Context>.fromOpaque(argument).takeRetainedValue().body()
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
