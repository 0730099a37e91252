/// Why a round did not get to its end.
public enum ReconcileError: Error, Hashable, Sendable {
    /// The space rows could not be read.
    case spacesUnreadable(reason: String)
    /// The node did not take the topics.
    case node(PushNodeError)
    /// The time for a round was over.
    case budgetExceeded
    /// The reconciler was shut down.
    case cancelled
}

extension ReconcileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .spacesUnreadable(let reason): "the spaces can not be read: \(reason)"
        case .node(let error): "the node did not take the topics: \(PushEvent.text(of: error))"
        case .budgetExceeded: "the time for a round is over"
        case .cancelled: "shut down"
        }
    }
}
