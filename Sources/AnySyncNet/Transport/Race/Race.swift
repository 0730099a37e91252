internal import AnySyncWire

/// What came of a race.
package struct RaceOutcome<Prize: Sendable>: Sendable {
    /// The first attempt that succeeded; its result is the taker's.
    package var winner: (index: Int, prize: Prize)?
    /// The attempts that failed before the race was decided.
    package var failures: [Int: TransportError] = [:]
    /// The error of an attempt that decided for all; the rest was cancelled.
    package var verdict: TransportError?
    /// Attempts that have had their time without success.
    package var overdue: Set<Int> = []
}

/// Attempts at one thing that start by a ``RaceSchedule``: the first success ends all others.
package struct Race<Prize: Sendable>: Sendable {
    /// Makes one attempt; it heeds cancellation and then leaves nothing.
    package typealias Attempt = @Sendable (_ index: Int) async throws(TransportError) -> Prize

    private let attempt: Attempt
    /// Undoes a success that came too late.
    private let discard: @Sendable (Prize) async -> Void
    /// Whether an attempt is passed over, after these failures.
    private let passesOver: @Sendable (_ index: Int, _ failures: [Int: TransportError]) -> Bool
    /// Whether an error of one attempt is true for all.
    private let decides: @Sendable (TransportError) -> Bool

    package init(
        attempt: @escaping Attempt,
        discard: @escaping @Sendable (Prize) async -> Void,
        passesOver: @escaping @Sendable (_ index: Int, _ failures: [Int: TransportError]) -> Bool = { _, _ in false },
        decides: @escaping @Sendable (TransportError) -> Bool = { _ in false }
    ) {
        self.attempt = attempt
        self.discard = discard
        self.passesOver = passesOver
        self.decides = decides
    }

    private enum Event: Sendable {
        case ended(Int, Result<Prize, TransportError>)
        case moment
    }

    /// Runs the race. When it returns, no attempt runs any more.
    package func run(_ schedule: RaceSchedule, on loop: EventLoop) async -> RaceOutcome<Prize> {
        await withTaskGroup(of: Event.self) { group in
            var schedule = schedule
            var outcome = RaceOutcome<Prize>()
            var running = 0
            var alarm: MonotonicTime?
            race: while true {
                while let index = schedule.start(now: loop.now()) {
                    guard !passesOver(index, outcome.failures) else {
                        schedule.ended(index, now: loop.now())
                        continue
                    }
                    running += 1
                    group.addTask { await .ended(index, result(of: index)) }
                }
                guard running > 0 else { break }
                if let moment = schedule.nextMoment, moment != alarm {
                    alarm = moment
                    group.addTask {
                        await loop.sleep(until: moment)
                        return .moment
                    }
                }
                switch await group.next() {
                case .ended(let index, .success(let prize)):
                    outcome.winner = (index, prize)
                    break race
                case .ended(let index, .failure(let error)):
                    running -= 1
                    outcome.failures[index] = error
                    schedule.ended(index, now: loop.now())
                    guard error != .cancelled, !decides(error) else {
                        outcome.verdict = error
                        break race
                    }
                case .moment: continue
                case nil: break race
                }
            }
            let now = loop.now()
            let winner = outcome.winner?.index
            outcome.overdue = Set(schedule.indices.filter { $0 != winner && schedule.isOverdue($0, now: now) })
            group.cancelAll()
            while let event = await group.next() {
                if case .ended(_, .success(let late)) = event { await discard(late) }
            }
            return outcome
        }
    }

    private func result(of index: Int) async -> Result<Prize, TransportError> {
        do throws(TransportError) {
            return .success(try await attempt(index))
        } catch {
            return .failure(error)
        }
    }
}
