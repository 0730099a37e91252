/// Why a server ends an event stream, as told to its subscriber in the `closed` frame (any-api.md, "SSE").
enum ClosedReason: String, Hashable, Sendable, CaseIterable {
    /// The server stops.
    case serverShutdown = "server_shutdown"
    /// The account was removed.
    case deauthorized
    /// The space's store was closed.
    case sdkClosed = "sdk_closed"
    /// What it was about was deleted.
    case objectDeleted = "object_deleted"
    /// The subscriber reads too slowly; what it missed is lost to it.
    case overflow
    /// Too many of the records that it watches have left. What made them leave is sent before.
    case drifted

    /// Whether what waits in the mailbox is still worth sending: not when the subscriber has to start over anyway.
    var deliversRest: Bool {
        switch self {
        case .serverShutdown, .deauthorized, .sdkClosed, .objectDeleted, .drifted: true
        case .overflow: false
        }
    }
}
