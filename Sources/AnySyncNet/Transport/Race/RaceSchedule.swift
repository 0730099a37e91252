package import AnySyncWire

/// When each of several attempts at one thing may start (RFC 8305 §5), without I/O or clock.
///
/// The next attempt starts a delay after the one before it, or as soon as one has failed. Attempts of a later group
/// start only once every attempt of the groups before has failed or has had its time.
package struct RaceSchedule: Sendable {
    /// One attempt.
    package struct Entry: Sendable {
        /// Attempts of a smaller group go first.
        let group: Int
        /// How long the groups after wait for this attempt; it may go on after that.
        let time: Duration

        /// An attempt; see the properties.
        package init(group: Int = 0, time: Duration = .zero) {
            self.group = group
            self.time = time
        }
    }

    private enum State {
        case waiting
        case running(since: MonotonicTime)
        case over(wasOverdue: Bool)
    }

    private let entries: [Entry]
    private let delay: Duration
    private var states: [State]
    /// No attempt starts before, while another runs.
    private var nextStart = MonotonicTime.zero

    /// - Parameters:
    ///   - entries: the attempts in the order they start, by rising groups.
    ///   - delay: between two starts.
    package init(_ entries: [Entry], delay: Duration) {
        self.entries = entries
        self.delay = delay
        states = entries.map { _ in .waiting }
    }

    /// The attempt that starts now; to be asked until there is none.
    package mutating func start(now: MonotonicTime) -> Int? {
        guard let moment = nextMoment, moment <= now, let index = firstWaiting else { return nil }
        states[index] = .running(since: now)
        nextStart = now.advanced(by: delay)
        return index
    }

    /// An attempt has ended without success, or was passed over.
    package mutating func ended(_ index: Int, now: MonotonicTime) {
        states[index] = .over(wasOverdue: isOverdue(index, now: now))
        nextStart = .zero
    }

    /// When the next attempt may start; `nil` when none is left.
    package var nextMoment: MonotonicTime? {
        guard let index = firstWaiting else { return nil }
        let group = entries[index].group
        var moment = isRunning ? nextStart : .zero
        for (entry, state) in zip(entries, states) where entry.group < group {
            guard case .running(let since) = state else { continue }
            moment = max(moment, since.advanced(by: entry.time))
        }
        return moment
    }

    /// The attempts.
    package var indices: Range<Int> { entries.indices }

    /// Whether an attempt has had its time without success.
    package func isOverdue(_ index: Int, now: MonotonicTime) -> Bool {
        switch states[index] {
        case .waiting: false
        case .running(let since): since.advanced(by: entries[index].time) <= now
        case .over(let wasOverdue): wasOverdue
        }
    }

    private var firstWaiting: Int? {
        states.firstIndex { if case .waiting = $0 { true } else { false } }
    }

    private var isRunning: Bool {
        states.contains { if case .running = $0 { true } else { false } }
    }
}
