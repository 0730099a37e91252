import Locks

/// Logs why requests failed through no fault of their clients, who are told to look here: with the file and the reason, and
/// each reason once in ``interval``, for a full disk must not fill a log. The next of its kind, or the stop, says how many
/// more there were.
final class FaultLog: Sendable {
    /// The shortest time between two lines for one reason.
    static let interval = Duration.seconds(10)
    // Different reasons that are told apart; what is more shares one line.
    private static let maximumReasons = 64
    private static let otherReasons = "other reasons"

    private struct Last {
        var time: Duration
        var unsaid = 0
        var requestId = ""
    }

    private let log: ServerLog
    private let clock: HTTPClock
    private let last = SystemLock<[String: Last]>([:])

    init(_ log: ServerLog, clock: HTTPClock = HTTPClock(ContinuousClock())) {
        self.log = log
        self.clock = clock
    }

    /// A request has failed.
    ///
    /// - Parameter file: the account's store, which errors about its content do not name.
    func note(_ fault: Router.Fault, file: String?) {
        let error = Self.text(of: fault.error)
        let now = clock.now()
        let unsaid = last.withLock { last -> Int? in
            if last[error] == nil, last.count >= Self.maximumReasons {
                last = last.filter { now - $0.value.time < Self.interval || $0.value.unsaid > 0 }
            }
            let reason = last[error] == nil && last.count >= Self.maximumReasons ? Self.otherReasons : error
            if let before = last[reason], now - before.time < Self.interval {
                last[reason]?.unsaid += 1
                last[reason]?.requestId = fault.requestId
                return nil
            }
            defer { last[reason] = Last(time: now) }
            return last[reason]?.unsaid ?? 0
        }
        guard let unsaid else { return }
        var fields = [("request", fault.requestId), ("route", "\(fault.route)"), ("error", error)]
        if let file, fault.error is SpaceError { fields.append(("file", file)) }
        if unsaid > 0 { fields.append(("more", "\(unsaid) since the last such line")) }
        log.error("request failed", fields)
    }

    /// Says what no line has told of yet.
    func close() {
        let unsaid = last.withLock { last in
            defer { last = [:] }
            return last.filter { $0.value.unsaid > 0 }
        }
        for (reason, last) in unsaid.sorted(by: { $0.key < $1.key }) {
            log.error(
                "requests failed", ("error", reason), ("more", "\(last.unsaid) since the last such line"),
                ("request", last.requestId))
        }
    }

    // What a client is told of an error of ours is too little here.
    private static func text(of error: any Error) -> String {
        (error as? any LoggedFault)?.logText ?? "\(error)"
    }
}

/// An error that says more to the log than to a client.
protocol LoggedFault: Error {
    /// What happened, with the reason.
    var logText: String { get }
}
