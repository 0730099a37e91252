/// Where a lane stands at one reading of the clock, and what it does about it.
///
/// All of a turn is decided on one reading: with two, what is due by the second but was not by the first would neither
/// be done nor waited for.
struct LaneTurn: Hashable, Sendable {
    /// What a lane does next.
    enum Step: Hashable, Sendable {
        /// Takes deliveries. It has either got on by then or paused, so it may go round at once.
        case work
        /// Waits for the signal, and for a moment that is yet to come if one is named.
        case wait(until: NodeTime?)
        /// Ends: it is finishing, and nothing is left to do now.
        case end
    }

    /// The one reading.
    var now: NodeTime
    /// Until when nothing is to be tried.
    var pausedUntil: NodeTime?
    /// When the next further try is due.
    var nextDue: NodeTime?
    /// Whether a notification waits to be matched.
    var hasQueued = false
    /// Whether more may be started. Where it may not, something is under way that raises the signal when it ends.
    var hasRoom = true
    /// Whether a delivery is under way, or ended and not recorded.
    var hasInFlight = false
    /// Whether the lane is to end once nothing can be done now.
    var isFinishing = false

    /// Whether nothing is to be tried now.
    var isPaused: Bool { pausedUntil.map { now < $0 } ?? false }

    /// What the lane does.
    var step: Step {
        if isPaused { return mayEnd ? .end : .wait(until: pausedUntil) }
        let isDue = nextDue.map { $0 <= now } ?? false
        if hasQueued || isDue { return hasRoom ? .work : .wait(until: nil) }
        return mayEnd ? .end : .wait(until: nextDue)
    }

    private var mayEnd: Bool { isFinishing && !hasInFlight }
}
