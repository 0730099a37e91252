/// The state of the server that decides which routes are served now.
protocol RequestGate: Sendable {
    /// Whether an account runs.
    var isAccountRunning: Bool { get }
    /// The token of a managed server, `nil` for one that stands alone and has no such secret.
    var controlToken: ControlToken? { get }
    /// The token that every request must show, `nil` when none need.
    var clientToken: ClientToken? { get }
}
