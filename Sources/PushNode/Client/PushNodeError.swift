public import PushAPI

/// Why a call to a push node has no good answer.
public enum PushNodeError: Error, Hashable, Sendable {
    /// The node refused the call for one of the reasons that the push API names.
    case refused(PushErrorCode)
    /// The node refused the call otherwise: an RPC error code of 0, 1, 2 or unknown, with the node's text.
    case failed(code: UInt64, text: String)
    /// No address of the node could be reached and agreed with. `reason` says what each of them did; the node is not
    /// called again before `retryAfter` has passed, if that is said.
    case unreachable(reason: String, retryAfter: Duration? = nil)
    /// The connection ended before the answer came; whether the node carried the call out is unknown.
    case interrupted(reason: String)
    /// The time for the call is over.
    case deadlineExceeded
    /// The node's answer is no message of the push API.
    case malformedAnswer
    /// The client was closed, or the calling task cancelled.
    case cancelled

    /// Whether the node has judged this request, so that it says something about the request and nothing about the node.
    var isVerdict: Bool {
        switch self {
        case .refused, .failed: true
        default: false
        }
    }
}

extension PushNodeError: CustomStringConvertible {
    /// A phrase for logs and people.
    public var description: String {
        switch self {
        case .refused(let code): "the node refused: \(code) (\(code.rawValue))"
        case .failed(let code, let text): "the node failed with code \(code): \(text)"
        case .unreachable(let reason, _), .interrupted(let reason): reason
        case .deadlineExceeded: "the node did not answer in time"
        case .malformedAnswer: "the node's answer is no message of the push API"
        case .cancelled: "cancelled"
        }
    }
}
