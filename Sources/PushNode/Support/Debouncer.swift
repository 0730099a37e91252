import Locks

/// Takes a burst of events for one: acts when there was none for a while, or when the burst has lasted too long.
final class Debouncer: Sendable {
    private struct State {
        var first = Duration.zero
        var latest = Duration.zero
        var isWaiting = false
        /// How many bursts have ended whose action is being done.
        var acting = 0
    }

    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let quiet: Duration
    private let patience: Duration
    private let action: @Sendable () -> Void
    private let tasks = OwnedTasks()
    private let state = SystemLock(State())

    /// A debouncer without events.
    ///
    /// - Parameters:
    ///   - quiet: the time without an event that ends a burst.
    ///   - patience: the longest time from the first event to the action.
    ///   - action: done after each burst.
    init(
        clock: any Clock<Duration>, quiet: Duration, patience: Duration, action: @escaping @Sendable () -> Void
    ) {
        self.clock = clock
        self.quiet = quiet
        self.patience = patience
        self.action = action
        stopwatch = Stopwatch(clock)
    }

    /// Takes an event.
    func note() {
        state.withLock { state in
            state.latest = stopwatch.elapsed()
            guard !state.isWaiting else { return }
            state.first = state.latest
            state.isWaiting = tasks.start { await self.waitForQuiet() } != nil
        }
    }

    /// Whether there was an event that the action has not followed yet.
    var isWaiting: Bool { state.withLock { $0.isWaiting || $0.acting > 0 } }

    /// Forgets a burst that has not ended, and takes no further event.
    func stop() async {
        await tasks.cancelAndWait()
    }

    private func waitForQuiet() async {
        while let rest = remaining() {
            guard (try? await clock.sleep(for: rest)) != nil else { return }
        }
        action()
        state.withLock { $0.acting -= 1 }
    }

    /// The time left to wait; `nil` ends the burst.
    private func remaining() -> Duration? {
        state.withLock { state in
            let rest = min(state.latest + quiet, state.first + patience) - stopwatch.elapsed()
            guard rest <= .zero else { return rest }
            state.isWaiting = false
            state.acting += 1
            return nil
        }
    }
}
