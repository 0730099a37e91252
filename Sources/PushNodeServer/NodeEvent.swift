public import AnySyncNet
public import PushAPI
public import SQLiteStorage

/// Something that an operator should know. Never holds a key, a token, a topic or anything of a notification.
public indirect enum NodeEvent: Sendable, CustomStringConvertible {
    /// The node serves; so many notifications were in the queue.
    case started(queued: Int)
    /// The store refused to read or write; it is tried again.
    case storeFailed(StoreError)
    /// The store's file was removed, moved or replaced: callers are refused until it is back.
    case storeMoved(StoreError)
    /// The store's file is back, and callers are served again.
    case storeReturned
    /// The forwarder of a platform can not work as it is set up; it is tried again, and no token is dropped.
    case forwarderMisconfigured(Platform)
    /// So much was given up because its time was over; sums up what expired since the last such event of the lane.
    case expired(Platform, ExpiryCount, lifetime: Duration)
    /// The machine's clock was set forward, or back (negative), while the node ran or between two runs of it.
    case clockStepped(by: Duration)
    /// The machine was started anew since the last run: the time in between, of which only the calendar tells, is not
    /// counted.
    case machineRestarted(calendarMoved: Duration)
    /// Notifications can not be spooled; they are tried again.
    case spoolFailed(SpoolError)
    /// Something on the network.
    case network(NetEvent)
    /// An event, and how many more of its kind there were since the last that was told.
    case repeated(NodeEvent, unsaid: Int)
    /// The node has stopped; so many notifications stay in the queue.
    case stopped(queued: Int)

    /// Whether something is wrong.
    public var isError: Bool {
        switch self {
        case .started, .stopped, .storeReturned, .machineRestarted: false
        case .storeFailed, .storeMoved, .forwarderMisconfigured, .expired, .clockStepped, .spoolFailed, .network: true
        case .repeated(let event, _): event.isError
        }
    }

    public var description: String {
        switch self {
        case .started(let queued): "push node started, \(queued) notifications in the queue"
        case .storeFailed(let error), .storeMoved(let error): "\(error)"
        case .storeReturned: "the store's file is back at its path, and calls are answered again"
        case .forwarderMisconfigured(let platform):
            "the forwarder for \(platform.name ?? "unknown") devices refuses everything: check its configuration"
        case .expired(let platform, let count, let lifetime):
            """
            \(count) for \(platform.name ?? "unknown") devices expired: they could not be brought within \
            \(Self.text(lifetime))
            """
        case .clockStepped(let step):
            """
            the clock of this machine was set \(step < .zero ? "back" : "forward") by \(Self.text(step < .zero ? .zero - step : step)); \
            notifications that wait are not affected
            """
        case .machineRestarted(let moved):
            """
            this machine was started anew, and its clock has moved by \(Self.text(moved)) since the node last ran; that \
            time does not count towards the lifetime of notifications that wait
            """
        case .spoolFailed(let error): "\(error)"
        case .network(let event): event.description
        case .repeated(let event, let unsaid): "\(event) (\(unsaid) more like this since the last that was told)"
        case .stopped(let queued): "push node stopped, \(queued) notifications stay in the queue"
        }
    }

    /// Events of one kind say the same thing.
    enum Kind: Hashable {
        case started, stopped, store, storeMoved, storeReturned, clock, machine, spool
        case expired(Platform)
        case forwarder(Platform)
        case network(NetEvent.Kind)
    }

    var kind: Kind {
        switch self {
        case .started: .started
        case .stopped: .stopped
        case .storeFailed: .store
        case .storeMoved: .storeMoved
        case .storeReturned: .storeReturned
        case .forwarderMisconfigured(let platform): .forwarder(platform)
        case .network(let event): .network(event.kind)
        case .repeated(let event, _): event.kind
        case .expired(let platform, _, _): .expired(platform)
        case .clockStepped: .clock
        case .machineRestarted: .machine
        case .spoolFailed: .spool
        }
    }

    private static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return if seconds.magnitude >= 2 * 86_400 {
            "\(seconds / 86_400) days"
        } else if seconds != 0, seconds % 3600 == 0 {
            "\(seconds / 3600) h"
        } else {
            "\(seconds) s"
        }
    }
}
