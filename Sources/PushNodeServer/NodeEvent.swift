public import PushNode
public import SQLiteStorage

/// Something that an operator should know. Never holds a key, a token, a topic or anything of a notification.
public enum NodeEvent: Sendable, CustomStringConvertible {
    /// The node serves; so many notifications were in the queue.
    case started(queued: Int)
    /// The store refused to read or write; it is tried again.
    case storeFailed(StoreError)
    /// The forwarder of a platform can not work as it is set up; it is tried again, and no token is dropped.
    case forwarderMisconfigured(Platform)
    /// The node has stopped; so many notifications stay in the queue.
    case stopped(queued: Int)

    /// Whether something is wrong.
    public var isError: Bool {
        switch self {
        case .started, .stopped: false
        case .storeFailed, .forwarderMisconfigured: true
        }
    }

    public var description: String {
        switch self {
        case .started(let queued): "push node started, \(queued) notifications in the queue"
        case .storeFailed(let error): "\(error)"
        case .forwarderMisconfigured(let platform):
            "the forwarder for \(platform.name ?? "unknown") devices refuses everything: check its configuration"
        case .stopped(let queued): "push node stopped, \(queued) notifications stay in the queue"
        }
    }

    /// Events of one kind say the same thing.
    enum Kind: Hashable {
        case started, stopped, store
        case forwarder(Platform)
    }

    var kind: Kind {
        switch self {
        case .started: .started
        case .stopped: .stopped
        case .storeFailed: .store
        case .forwarderMisconfigured(let platform): .forwarder(platform)
        }
    }
}
