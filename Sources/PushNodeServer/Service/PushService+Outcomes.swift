import ProtoWire
import PushAPI

extension PushService {
    /// What became of the last notifications to the caller's device: to the account on this peer, and to no other.
    func outcomes(_ request: Ok, _ caller: Caller) throws(Refusal) -> OutcomesMessage {
        guard let outcomes else { throw Refusal(.unknownCall, "this node does not note what becomes of notifications") }
        let now = clock.now
        let noted = outcomes.entries(of: DeviceKey(caller)).map { entry in
            var outcome = OutcomesMessage.Outcome()
            outcome.number = entry.number
            outcome.ageMilliseconds = Self.milliseconds(from: entry.time, to: now)
            outcome.platform = entry.platform
            outcome.provider = WireString(entry.provider.text)
            outcome.outcome = entry.outcome
            outcome.tries = UInt64(entry.tries)
            return outcome
        }
        return OutcomesMessage(
            notingMilliseconds: Self.milliseconds(from: outcomes.beginning, to: now), outcomes: noted)
    }

    private static func milliseconds(from start: NodeTime, to end: NodeTime) -> UInt64 {
        UInt64(max(start.duration(to: end) / .milliseconds(1), 0))
    }
}
