/// Why an operation of a ``PushAccount`` came to nothing.
public enum PushAccountError: Error, Hashable, Sendable {
    /// Push is off.
    case disabled(PushDisabledReason)
    /// Push is on, but was not started, or was stopped.
    case notRunning
    /// The system gives no thread, event queue or certificate.
    case cannotStart(reason: String)
    /// The device's token could not be saved; nothing has changed.
    case tokenNotSaved(reason: String)
    /// The node did not answer, or not well.
    case node(PushNodeError)
}

extension PushAccountError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .disabled(let reason): "\(reason)"
        case .notRunning: "push is not running"
        case .cannotStart(let reason): "push can not be started: \(reason)"
        case .tokenNotSaved(let reason): "the device's token could not be saved: \(reason)"
        case .node(let error): "the push node: \(PushEvent.text(of: error))"
        }
    }
}
