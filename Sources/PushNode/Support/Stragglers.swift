/// What the node may yet be told by calls that ended without an answer.
///
/// Calls that set a whole state (a token, all topics) are made one after another, but one whose answer never came may still
/// be carried out after a newer one: the newer state is then set once more, as soon as no such call can be on its way.
struct Stragglers<State: Hashable & Sendable>: Sendable {
    /// How long after its end a call without an answer may be carried out. The node cancels a call when its stream closes
    /// (protocol.md §7), which takes a lost connection no longer than its ping: 30 s and 10 s more (§5, yamux).
    static var lifetime: Duration { .seconds(60) }

    private var expiries: [State: Duration] = [:]

    /// Notes a call that ended without an answer.
    ///
    /// - Parameter now: the time, on the same stopwatch for every use.
    mutating func note(_ state: State, at now: Duration) {
        forget(before: now)
        expiries[state] = now + Self.lifetime
    }

    /// Until when the node may be brought out of a state by an older call; `nil` when it can not.
    mutating func threat(to state: State, at now: Duration) -> Duration? {
        forget(before: now)
        return expiries.filter { $0.key != state }.values.max()
    }

    private mutating func forget(before now: Duration) {
        expiries = expiries.filter { $0.value > now }
    }
}

extension PushNodeError {
    /// Whether the node may carry the call out later on.
    var mayStillLand: Bool {
        switch self {
        case .interrupted, .deadlineExceeded, .cancelled: true
        case .refused, .failed, .unreachable, .malformedAnswer: false
        }
    }
}
