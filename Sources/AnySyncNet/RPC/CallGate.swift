internal import Locks

/// Lets a server run so many calls at once; further ones wait for a place, see ``CallPlaces``.
final class CallGate: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var places: CallPlaces<Waiter>
        var nextWaiter: UInt64 = 0
    }

    private let state: SystemLock<State>

    init(_ limits: CallPlaceLimits) {
        state = SystemLock(State(places: CallPlaces(limits)))
    }

    var runningCalls: Int { state.withLock { $0.places.running } }
    /// Whether nobody runs or waits.
    var isEmpty: Bool { state.withLock { $0.places.isEmpty } }

    /// Takes a place for a call, maybe after others.
    ///
    /// - Returns: `false` when the task was cancelled first; there is no place to leave then.
    func enter(_ party: CallParty) async -> Bool {
        let id: UInt64? = state.withLock { state in
            if state.places.enter(party) { return nil }
            state.nextWaiter += 1
            return state.nextWaiter
        }
        guard let id else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.places.enter(party) { return true }
                    state.places.wait(party, Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            state.withLock { $0.places.withdraw(party) { $0.id == id } }?.continuation.resume(returning: false)
        }
    }

    /// Gives a place back.
    func leave(_ party: CallParty) {
        let next = state.withLock { $0.places.leave(party) }
        for waiter in next { waiter.continuation.resume(returning: true) }
    }
}
