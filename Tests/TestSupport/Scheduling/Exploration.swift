/// Tries every order in which jobs and events can happen, one run after the other, without real time.
///
/// A run is a scenario made anew. Wherever more than one thing could happen next (a job of a task, or an event that the
/// scenario has named, such as a step of the clock), first come is first served, and jobs go before events: every order
/// is tried that departs from this at no more than ``departures`` points of a run, wherever they are. When nothing can
/// happen any more the virtual clock goes on to the next moment that somebody sleeps until, and when nobody sleeps the
/// scenario is judged.
public struct Exploration {
    /// At how many points an order departs from first come, first served.
    public var departures: Int
    /// Steps of one run after which it counts as endless.
    public var maximumSteps = 100_000

    /// How far the clock moves whenever somebody looks at it.
    public var drift = Duration.zero
    /// Runs every scenario's tasks.
    public let executor = StepExecutor()

    public init(departures: Int, drift: Duration = .zero) {
        (self.departures, self.drift) = (departures, drift)
    }

    /// What a search did.
    public struct Outcome: Sendable {
        /// Orders tried.
        public var runs = 0
        /// The most points of choice in a run.
        public var points = 0
        /// What was wrong first, and after which choices.
        public var failure: String?
    }

    /// Runs a scenario in every order.
    ///
    /// - Parameter scenario: sets a run up and returns its judge: `nil`, or what is wrong at the end.
    public func run(_ scenario: (Run) -> () -> String?) -> Outcome {
        var outcome = Outcome()
        var choices = Choices(departures: departures)
        repeat {
            let run = Run(executor, VirtualClock(drift: drift), choices)
            let judge = scenario(run)
            let isOver = run.play(maximumSteps)
            let finding = isOver ? judge() : "it does not come to an end"
            run.end()
            choices = run.choices
            outcome.runs += 1
            outcome.points = max(outcome.points, choices.taken.count)
            if let finding {
                outcome.failure = "\(finding) after the choices \(choices.taken.map(\.choice))"
                return outcome
            }
        } while choices.next()
        return outcome
    }

    /// One order.
    public final class Run {
        /// Runs the scenario's tasks.
        public let executor: StepExecutor
        /// The scenario's time.
        public let clock: VirtualClock
        fileprivate var choices: Choices
        private var events: [[@Sendable () -> Void]] = []
        private var tasks: [Task<Void, Never>] = []

        fileprivate init(_ executor: StepExecutor, _ clock: VirtualClock, _ choices: Choices) {
            (self.executor, self.clock, self.choices) = (executor, clock, choices)
        }

        /// Starts a task of the scenario.
        public func start(_ body: @escaping @Sendable () async -> Void) {
            tasks.append(Task(executorPreference: executor) { await body() })
        }

        /// Does something to its end before anything else happens.
        public func first(_ body: @escaping @Sendable () async -> Void) {
            Task(executorPreference: executor) { await body() }
            while executor.count > 0 { executor.run(0) }
        }

        /// Names events that happen in this order among themselves, and at any time as to everything else.
        public func inOrder(_ events: [@Sendable () -> Void]) {
            self.events.append(events)
        }

        /// Names a task that starts at any time.
        public func event(_ body: @escaping @Sendable () async -> Void) {
            let executor = executor
            inOrder([{ Task(executorPreference: executor) { await body() } }])
        }

        /// Names steps of the clock, each of which comes at any time after the one before.
        public func steps(_ steps: Duration...) {
            let clock = clock
            inOrder(steps.map { step in { clock.advance(by: step) } })
        }

        /// Ends what still waits, so that nothing of one run stays for the next.
        fileprivate func end() {
            for task in tasks { task.cancel() }
            while executor.count > 0 { executor.run(0) }
        }

        fileprivate func play(_ maximumSteps: Int) -> Bool {
            for _ in 0..<maximumSteps {
                let jobs = executor.count
                let options = jobs + events.count
                guard options > 0 else {
                    guard clock.advanceToNextSleeper() else { return true }
                    continue
                }
                let choice = choices.choose(options)
                if choice < jobs {
                    executor.run(choice)
                } else {
                    let event = events[choice - jobs].removeFirst()
                    events.removeAll(where: \.isEmpty)
                    event()
                }
            }
            return false
        }
    }
}
