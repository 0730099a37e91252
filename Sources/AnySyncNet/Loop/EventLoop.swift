package import AnySyncWire
internal import CUV
internal import Locks
internal import Synchronization

/// One thread that runs sockets, timers and every actor pinned to it.
///
/// An actor whose `unownedExecutor` is a loop's runs on the loop's thread only, so protocol code needs no locks, and
/// awaiting another actor of the same loop costs no hop. A loop holds its thread until ``shutdown()``, which closes
/// what is open on it.
///
/// Unchecked because libuv's pointers are not Sendable: `uv` and everything in `turn` is touched by the loop's thread
/// only, apart from `wake()`, which libuv documents as safe from any thread and which the job queue's lock keeps from
/// running after the handle is closed.
public final class EventLoop: @unchecked Sendable {
    package let uv: UVLoop
    private let clock: any LoopClock
    private let queue = JobQueue()
    private let lateJobs = LateJobs()
    private let thread = Atomic<UInt>(0)
    private let lifecycle = SystemLock(Lifecycle.running)
    private var turn = Turn()

    private enum Lifecycle {
        case running
        case stopping([CheckedContinuation<Void, Never>])
        case stopped
    }

    /// What belongs to the loop's thread.
    private struct Turn {
        var timers = TimerQueue()
        var armedDeadline: MonotonicTime?
        var running: [LoopJob] = []
        var observers: [any TurnEndObserver] = []
        var handles: [ObjectIdentifier: any LoopHandle] = [:]
        var isStopping = false
    }

    /// Starts a loop on a thread of its own. The process ignores SIGPIPE from then on, unless it has a handler for it.
    ///
    /// - Throws: ``LoopError`` when the system gives no thread or no event queue.
    public convenience init() throws(LoopError) {
        try self.init(clock: MonotonicClock())
    }

    /// A loop with a clock of the caller's choice.
    package init(clock: any LoopClock) throws(LoopError) {
        cuv_ignore_sigpipe()
        self.clock = clock
        uv = try UVLoop()
        try uv.startThread(of: self)
    }

    /// Closes every socket and timer of the loop and ends its thread. What waits on them fails with
    /// ``CloseReason/shutDown``. May be called more than once; every call returns when the thread has ended.
    public func shutdown() async {
        await withCheckedContinuation { continuation in
            let isFirst: Bool? = lifecycle.withLock { lifecycle in
                switch lifecycle {
                case .running:
                    lifecycle = .stopping([continuation])
                    return true
                case .stopping(let waiting):
                    lifecycle = .stopping(waiting + [continuation])
                    return false
                case .stopped:
                    return nil
                }
            }
            switch isFirst {
            case .some(true): execute { self.beginStopping() }
            case .some(false): break
            case .none: continuation.resume()
            }
        }
        uv.joinThread()
    }

    // MARK: Timers

    /// The loop's time.
    package func now() -> MonotonicTime {
        clock.now()
    }

    /// Runs `action` on the loop once `delay` has passed. To be called on the loop.
    package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        schedule(at: clock.now().advanced(by: delay), action)
    }

    /// Runs `action` on the loop at `deadline`; never, once the loop is shutting down. To be called on the loop.
    package func schedule(at deadline: MonotonicTime, _ action: @escaping () -> Void) -> LoopTimer {
        assertOnLoop()
        let timer = turn.timers.schedule(at: deadline, action)
        armTimer()
        return timer
    }

    /// The deadline of the next timer.
    package func nextDeadline() async -> MonotonicTime? {
        await onLoop { self.turn.timers.first }
    }

    /// Runs the timers that are due. Only needed when the clock does not run by itself.
    package func runDueTimers() async {
        await onLoop { self.timerFired() }
    }

    fileprivate func timerFired() {
        turn.armedDeadline = nil
        turn.timers.run(until: clock.now())
        armTimer()
    }

    private func armTimer() {
        guard clock.runsByItself, !turn.isStopping, let first = turn.timers.first else { return }
        // A wake-up that comes early, because its timer was cancelled, finds nothing due and arms the next.
        if let armed = turn.armedDeadline, armed <= first { return }
        turn.armedDeadline = first
        uv.armTimer(after: clock.now().duration(to: first))
    }

    // MARK: Jobs

    /// Runs a closure on the loop's thread, from any thread.
    package func execute(_ action: @escaping @Sendable () -> Void) {
        add(.action(action))
    }

    /// Runs a closure on the loop's thread and hands back what it returns.
    package func onLoop<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: body()) }
        }
    }

    /// Whether the calling thread is the loop's.
    package var isOnLoop: Bool {
        thread.load(ordering: .relaxed) == UVLoop.currentThread
    }

    package func assertOnLoop() {
        assert(isOnLoop, "called from another thread than the event loop's")
    }

    private func add(_ job: LoopJob) {
        guard !queue.add(job, fromConsumer: isOnLoop, wake: { uv.wake() }) else { return }
        lateJobs.add(job, of: self)
    }

    /// Runs a job that came after the loop's thread had ended, on the calling thread.
    func runLate(_ job: LoopJob) {
        thread.store(UVLoop.currentThread, ordering: .relaxed)
        run(job)
        thread.store(0, ordering: .relaxed)
    }

    private func run(_ job: LoopJob) {
        switch job {
        case .step(let step): step.runSynchronously(on: asUnownedSerialExecutor())
        case .action(let action): action()
        }
    }

    // MARK: Turns

    /// Has `observer` called once at the end of this turn. To be called on the loop, once for each turn.
    package func atTurnEnd(_ observer: any TurnEndObserver) {
        assertOnLoop()
        turn.observers.append(observer)
    }

    /// Whether no handle may be opened any more, since the loop is shutting down or has ended. To be asked on the loop.
    package var isStopping: Bool {
        assertOnLoop()
        return turn.isStopping
    }

    /// Registers an owner of a libuv handle until ``remove(_:)``. Not once the loop ``isStopping``.
    package func add(_ handle: any LoopHandle) {
        assertOnLoop()
        turn.handles[ObjectIdentifier(handle)] = handle
    }

    /// Forgets an owner whose handle is closed.
    package func remove(_ handle: any LoopHandle) {
        assertOnLoop()
        turn.handles[ObjectIdentifier(handle)] = nil
    }

    /// Runs what waits, before the loop sleeps and after it was woken.
    fileprivate func runTurn() {
        // Jobs that jobs enqueue run in the same turn, so that one write carries all they produce; but not for ever, or
        // sockets would starve.
        var isIdle = false
        for _ in 0..<Self.roundsPerTurn {
            queue.take(into: &turn.running)
            isIdle = turn.running.isEmpty && turn.observers.isEmpty
            if isIdle { break }
            let jobs = turn.running
            for job in jobs {
                run(job)
            }
            let observers = turn.observers
            turn.observers.removeAll(keepingCapacity: true)
            for observer in observers {
                observer.turnEnded()
            }
        }
        guard isIdle else {
            uv.wake()
            return
        }
        if turn.isStopping, turn.handles.isEmpty, queue.closeIfEmpty() {
            turn.timers.removeAll()
            uv.closeHandles()
        }
    }

    private static let roundsPerTurn = 16

    private func beginStopping() {
        turn.isStopping = true
        for handle in turn.handles.values {
            handle.loopIsStopping()
        }
    }

    /// The thread's whole life.
    fileprivate func runThread() {
        thread.store(UVLoop.currentThread, ordering: .relaxed)
        uv.run()
        thread.store(0, ordering: .relaxed)
        let waiting = lifecycle.withLock { lifecycle in
            guard case .stopping(let waiting) = lifecycle else { return [] as [CheckedContinuation<Void, Never>] }
            lifecycle = .stopped
            return waiting
        }
        for continuation in waiting {
            continuation.resume()
        }
    }
}

// MARK: - Executor

extension EventLoop: SerialExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        add(.step(UnownedJob(job)))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func isSameExclusiveExecutionContext(other: EventLoop) -> Bool {
        self === other
    }

    public func checkIsolated() {
        precondition(isOnLoop, "called from another thread than the event loop's")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isOnLoop
    }
}

// MARK: - What libuv calls

extension EventLoop {
    /// The entry points of ``UVLoop``'s callbacks.
    struct Callbacks {
        let loop: EventLoop

        func runThread() { loop.runThread() }
        func runTurn() { loop.runTurn() }
        func timerFired() { loop.timerFired() }
    }
}
