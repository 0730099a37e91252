/// Why a hook came to nothing.
public enum HookFailure: Error, Hashable, Sendable {
    /// The account has no keys of the space: it is not a member now.
    case noKeys
    /// The keys or the names could not be had.
    case unavailable(reason: String)
    /// The notification could not be composed.
    case notComposed(ComposeError)
    /// The time for a hook was over.
    case budgetExceeded
    /// The hooks were shut down.
    case cancelled
    /// The queue took no more; it counts that itself.
    case queueFull
}

extension HookFailure {
    /// What an error of a hook's work means.
    init(_ error: any Error) {
        self =
            switch error {
            case let failure as HookFailure: failure
            case let error as ComposeError: .notComposed(error)
            case is DeadlinePassed: .budgetExceeded
            case is CancellationError: .cancelled
            default: .unavailable(reason: PushEvent.text(of: error))
            }
    }
}

extension HookFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noKeys: "the account has no keys of the space"
        case .unavailable(let reason): "keys or names can not be had: \(reason)"
        case .notComposed(let error): "not composed: \(PushEvent.text(of: error))"
        case .budgetExceeded: "the time for a hook is over"
        case .cancelled: "shut down"
        case .queueFull: "the notify queue is full"
        }
    }
}
