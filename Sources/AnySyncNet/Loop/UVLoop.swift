package import CUV
internal import Locks

/// libuv's loop with the handles an ``EventLoop`` lives on. The pointers never leave this file, apart from `loop`
/// itself, which the wrappers of sockets and resolver requests need.
///
/// Unchecked for the same reason as ``EventLoop``: after `startThread` only the loop's thread touches the pointers,
/// apart from `wake()`, and the thread keeps the loop alive until it ends.
package final class UVLoop: @unchecked Sendable {
    /// To be used on the loop's thread.
    package let loop: UnsafeMutablePointer<uv_loop_t>
    private let async: UnsafeMutablePointer<uv_async_t>
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let check: UnsafeMutablePointer<uv_check_t>
    private let timer: UnsafeMutablePointer<uv_timer_t>
    /// What every socket of the loop reads into, one after the other, so that an idle connection owns no buffer.
    private let readBuffer: UnsafeMutableRawBufferPointer
    private let joinable = SystemLock<uv_thread_t?>(nil)
    private let isLoopOpen: Bool

    /// The calling thread, as a number that no other live thread has.
    static var currentThread: UInt { UInt(uv_thread_self()) }

    init() throws(LoopError) {
        loop = .allocate(capacity: 1)
        async = .allocate(capacity: 1)
        prepare = .allocate(capacity: 1)
        check = .allocate(capacity: 1)
        timer = .allocate(capacity: 1)
        readBuffer = .allocate(byteCount: 64 * 1024, alignment: 16)
        var status = uv_loop_init(loop)
        isLoopOpen = status == 0
        guard status == 0 else { throw LoopError(operation: "making an event loop", code: status) }
        // The async handle is the wake-up only: what waits is run by the check handle right after.
        status = uv_async_init(loop, async) { _ in }
        guard status == 0 else { throw LoopError(operation: "making an event loop's wake-up", code: status) }
        uv_prepare_init(loop, prepare)
        uv_check_init(loop, check)
        uv_timer_init(loop, timer)
    }

    /// Runs `eventLoop` on a new thread, which keeps it alive until it ends.
    func startThread(of eventLoop: EventLoop) throws(LoopError) {
        let context = Unmanaged.passRetained(eventLoop)
        loop.pointee.data = context.toOpaque()
        uv_prepare_start(prepare) { handle in
            guard let handle else { return }
            UVLoop.callbacks(of: handle.pointee.loop)?.runTurn()
        }
        uv_check_start(check) { handle in
            guard let handle else { return }
            UVLoop.callbacks(of: handle.pointee.loop)?.runTurn()
        }
        var thread = uv_thread_t()
        let status = uv_thread_create(
            &thread,
            { argument in
                guard let argument else { return }
                let eventLoop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
                EventLoop.Callbacks(loop: eventLoop).runThread()
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            closeHandles()
            run()
            throw LoopError(operation: "starting an event loop's thread", code: status)
        }
        joinable.withLock { $0 = thread }
    }

    /// Runs until every handle is closed.
    func run() {
        uv_run(loop, UV_RUN_DEFAULT)
    }

    /// Has libuv read into the shared buffer; the bytes are copied out before the next read.
    func lendReadBuffer(to buffer: UnsafeMutablePointer<uv_buf_t>) {
        buffer.pointee = uv_buf_init(
            readBuffer.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(readBuffer.count))
    }

    /// Makes the loop take another turn. From any thread, until ``closeHandles()``.
    func wake() {
        uv_async_send(async)
    }

    func armTimer(after delay: Duration) {
        // libuv counts from its cached time in milliseconds: rounding down would wake too early and spin.
        let (seconds, attoseconds) = delay.components
        let milliseconds = max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        uv_update_time(loop)
        uv_timer_start(
            timer,
            { handle in
                guard let handle else { return }
                UVLoop.callbacks(of: handle.pointee.loop)?.timerFired()
            }, UInt64(milliseconds), 0)
    }

    /// Closes the loop's own handles, so that ``run()`` returns once those of others are closed too.
    func closeHandles() {
        uv_close(cuv_async_handle(async), nil)
        uv_close(cuv_prepare_handle(prepare), nil)
        uv_close(cuv_check_handle(check), nil)
        uv_close(cuv_timer_handle(timer), nil)
    }

    /// Waits for the thread to be gone, once.
    func joinThread() {
        let thread = joinable.withLock { joinable in
            defer { joinable = nil }
            return joinable
        }
        guard var thread else { return }
        uv_thread_join(&thread)
    }

    deinit {
        if isLoopOpen {
            let status = uv_loop_close(loop)
            assert(status == 0, "an event loop ended with open handles")
        }
        for pointer in [UnsafeMutableRawPointer(loop), .init(async), .init(prepare), .init(check), .init(timer)] {
            pointer.deallocate()
        }
        readBuffer.deallocate()
    }

    private static func callbacks(of loop: UnsafeMutablePointer<uv_loop_t>?) -> EventLoop.Callbacks? {
        guard let data = loop?.pointee.data else { return nil }
        return EventLoop.Callbacks(loop: Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue())
    }
}
