import Locks

/// Does a piece of work in the background whenever it is asked to, never twice at once.
///
/// Being asked while the work runs makes it run once more afterwards, so that what changed in between is seen. Work
/// that failed is done again by itself, later each time.
final class WorkLoop: Sendable {
    /// What is to happen after the work, unless it is asked for sooner.
    enum Next: Sendable {
        /// Nothing.
        case idle
        /// It failed: again after the backoff.
        case retry
        /// Again after a time.
        case after(Duration)
    }

    typealias Work = @Sendable () async -> Next

    private struct State {
        var work: Work?
        var isRequested = false
        var isRunning = false
        var failures = 0
        var timer: Task<Void, Never>?

        mutating func takeTimer() -> Task<Void, Never>? {
            defer { timer = nil }
            return timer
        }
    }

    private let clock: any Clock<Duration>
    private let backoff: Backoff
    private let tasks = OwnedTasks()
    private let state = SystemLock(State())

    /// A loop that does nothing yet.
    init(clock: any Clock<Duration>, backoff: Backoff) {
        self.clock = clock
        self.backoff = backoff
    }

    /// Does the work for the first time.
    func start(_ work: @escaping Work) {
        state.withLock { $0.work = work }
        kick()
    }

    /// Asks for the work to be done at once, or once more if it is being done.
    func kick() {
        let timer = state.withLock { state -> Task<Void, Never>? in
            state.isRequested = true
            if let work = state.work, !state.isRunning {
                state.isRunning = tasks.start { await self.run(work) } != nil
            }
            return state.takeTimer()
        }
        timer?.cancel()
    }

    /// Whether the work is being done or about to be; not while it waits to be tried again.
    var isDue: Bool { state.withLock { $0.isRunning || $0.isRequested } }

    /// Cancels the work and returns when nothing of it runs anymore. It can not be started again.
    func stop() async {
        state.withLock { $0.work = nil }
        await tasks.cancelAndWait()
    }

    private func run(_ work: Work) async {
        while takeRequest() {
            settle(await work())
        }
    }

    private func takeRequest() -> Bool {
        state.withLock { state in
            state.isRunning = state.isRequested && state.work != nil
            state.isRequested = false
            return state.isRunning
        }
    }

    private func settle(_ next: Next) {
        state.withLock { state in
            switch next {
            case .idle:
                state.failures = 0
            case .retry:
                state.failures += 1
                startTimer(backoff.delay(afterFailures: state.failures), in: &state)
            case .after(let delay):
                state.failures = 0
                startTimer(delay, in: &state)
            }
        }
    }

    private func startTimer(_ delay: Duration, in state: inout State) {
        guard !state.isRequested else { return }
        let clock = clock
        state.timer = tasks.start {
            guard (try? await clock.sleep(for: delay)) != nil, !Task.isCancelled else { return }
            self.kick()
        }
    }
}
