internal import CMicroHTTPD
internal import Glibc
internal import Locks
internal import Synchronization

/// What a loop's thread runs besides the jobs of its actors.
protocol HTTPLoopClient: AnyObject, Sendable {
    /// One turn, on the loop's thread.
    ///
    /// - Parameters:
    ///   - signals: The numbers given to ``HTTPLoop/signal(_:)`` since the last turn.
    ///   - events: What happened to watched descriptors.
    /// - Returns: Whether there is more to do at once.
    func turn(signals: [UInt64], events: [EventPoll.Event]) -> Bool
}

/// One thread that a server's actor is pinned to, and that sleeps until a socket, a job or a signal wants it.
///
/// The thread lives as long as the loop. A pinned actor holds its loop, so no job can come after the thread's end, and
/// needs no joining: the last release, which may happen on the thread itself, tells the thread to go.
final class HTTPLoop: SerialExecutor {
    let state: State

    /// - Throws: ``HTTPServerError/system(operation:error:)`` when the system gives no thread or no event queue.
    init() throws(HTTPServerError) {
        state = State(poll: try EventPoll())
        state.executor.withLock { $0 = asUnownedSerialExecutor() }
        try Self.startThread(state)
    }

    deinit {
        state.stop()
    }

    /// Runs `client` in every turn from now on, and keeps it alive until ``detach()``.
    func attach(_ client: any HTTPLoopClient) {
        state.inbox.withLock { $0.client = client }
        state.poll.wake()
    }

    /// Forgets the client.
    func detach() {
        // Released outside the lock: the client's end may be the loop's own.
        _ = state.inbox.withLock { inbox in
            defer { inbox.client = nil }
            return inbox.client
        }
    }

    /// Has the next turn see `number`. From any thread.
    func signal(_ number: UInt64) {
        state.add { $0.signals.append(number) }
    }

    /// The descriptors that the thread waits on. To be changed on the thread only.
    func watchReadable(_ descriptor: Int32, tag: UInt64) -> Bool { state.poll.addReadable(descriptor, tag: tag) }
    func watchHangup(_ descriptor: Int32, tag: UInt64) -> Bool { state.poll.addHangup(descriptor, tag: tag) }
    func unwatch(_ descriptor: Int32) { state.poll.remove(descriptor) }

    // MARK: SerialExecutor

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.add { $0.jobs.append(job) }
    }

    func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "called from another thread than the HTTP loop's")
    }

    func isIsolatingCurrentContext() -> Bool? {
        state.thread.load(ordering: .relaxed) == State.currentThread
    }

    // MARK: Thread

    private static func startThread(_ state: State) throws(HTTPServerError) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(state)
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let state = Unmanaged<State>.fromOpaque(context).takeRetainedValue()
                // Signals are the host's business, and SIGPIPE nobody's.
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_SETMASK, &all, nil)
                cmhd_name_thread("any-http")
                state.run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw .system(operation: "starting the HTTP thread", error: status)
        }
        pthread_detach(thread)
    }

    /// What the loop and its thread share; outlives the loop by the thread's last turn.
    final class State: Sendable {
        struct Inbox {
            var jobs: [UnownedJob] = []
            var signals: [UInt64] = []
            var client: (any HTTPLoopClient)?
            var isStopping = false
            /// Whether the thread has been told already that there is something.
            var isWoken = false
        }

        let poll: EventPoll
        let inbox = SystemLock(Inbox())
        let thread = Atomic<UInt>(0)
        let executor = SystemLock<UnownedSerialExecutor?>(nil)

        static var currentThread: UInt { UInt(pthread_self()) }

        init(poll: consuming EventPoll) {
            self.poll = poll
        }

        func add(_ change: (inout Inbox) -> Void) {
            let isNews = inbox.withLock { inbox in
                change(&inbox)
                defer { inbox.isWoken = true }
                return !inbox.isWoken
            }
            if isNews { poll.wake() }
        }

        func stop() {
            add { $0.isStopping = true }
        }

        func run() {
            thread.store(Self.currentThread, ordering: .relaxed)
            let executor = executor.withLock { $0 }
            var events: [EventPoll.Event] = []
            var jobs: [UnownedJob] = []
            var signals: [UInt64] = []
            var isBusy = false
            while true {
                events.removeAll(keepingCapacity: true)
                poll.wait(forever: !isBusy, into: &events)
                jobs.removeAll(keepingCapacity: true)
                signals.removeAll(keepingCapacity: true)
                let (client, isStopping) = inbox.withLock { inbox in
                    swap(&inbox.jobs, &jobs)
                    swap(&inbox.signals, &signals)
                    inbox.isWoken = false
                    return (inbox.client, inbox.isStopping)
                }
                // Nobody can hold the loop any more, so no job can come after these, and there are none.
                if isStopping { return }
                if let executor {
                    for job in jobs { job.runSynchronously(on: executor) }
                }
                isBusy = client?.turn(signals: signals, events: events) ?? false
            }
        }
    }
}
