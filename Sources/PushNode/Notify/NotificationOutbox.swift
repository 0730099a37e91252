/// Keeps notifications until they are sent or given up: a host's own store, which has them written in the same
/// transaction as what they tell of, so that neither a kill nor a stop loses any.
///
/// A host composes them with ``HookComposer`` in its transaction, says so with ``PushAccount/noted(_:in:)``, and never calls
/// the hooks. ``NotifyQueue`` then looks for them here, many at a time, so that a store whose turns are scarce is
/// asked seldom.
public protocol NotificationOutbox: Sendable {
    /// Writes down what became of notifications, and gives those that came since, in one look at the store.
    ///
    /// What became of them is to be written whole or not at all, and may be told twice. It need not survive the loss of
    /// power: a notification that is sent again has the same bytes.
    ///
    /// - Parameters:
    ///   - outcomes: what became of notifications, at most one for each.
    ///   - id: the last notification that is known; 0 at first.
    ///   - limit: how many are wanted at most, which may be 0.
    ///   - isHurried: whether what is held back for later is to come now.
    /// - Returns: what waits behind `id`.
    /// - Throws: when the store could not be read or written, cut to a line in logs. It is asked again then.
    func exchange(
        _ outcomes: [OutboxOutcome], after id: Int64, limit: Int, isHurried: Bool
    ) async throws -> OutboxPage
}

/// What waits in a ``NotificationOutbox``.
public struct OutboxPage: Hashable, Sendable {
    /// The notifications, in the order in which they were written.
    public var waiting: [WaitingNotification]
    /// Whether more waits behind them.
    public var hasMore: Bool
    /// When there will be more without anything being written, if so.
    public var next: Duration?
    /// What was lost of late, also before the last start; `nil` when nothing was.
    public var losses: NotificationLosses?

    /// A page; see the properties.
    public init(
        waiting: [WaitingNotification] = [], hasMore: Bool = false, next: Duration? = nil,
        losses: NotificationLosses? = nil
    ) {
        self.waiting = waiting
        self.hasMore = hasMore
        self.next = next
        self.losses = losses
    }
}

/// A notification in a ``NotificationOutbox``.
public struct WaitingNotification: Hashable, Sendable {
    /// Names it; ids grow, and none is used twice.
    public let id: Int64
    /// What is sent, the same bytes each time.
    public let notification: OutgoingNotification
    /// The tries that it has had.
    public let attempts: Int
    /// How long it waits, as far as that is known: by a clock that goes on over restarts of the process and is not set.
    public let age: Duration
    /// How long ago its last try was, by the same clock; `nil` when it had none, or that is not known.
    public let sinceTry: Duration?

    /// A notification; see the properties.
    public init(
        id: Int64, notification: OutgoingNotification, attempts: Int, age: Duration, sinceTry: Duration? = nil
    ) {
        self.id = id
        self.notification = notification
        self.attempts = attempts
        self.age = age
        self.sinceTry = sinceTry
    }
}

/// What became of a notification in a ``NotificationOutbox``.
public struct OutboxOutcome: Hashable, Sendable {
    /// What became of it.
    public enum Result: Hashable, Sendable {
        /// The node has it: it is to be forgotten.
        case sent
        /// It waits for another try, after so many.
        case tried(attempts: Int)
        /// It is not sent any more: it is to be forgotten, and the loss to be remembered.
        case givenUp(reason: String)
    }

    /// The notification's id.
    public let id: Int64
    /// What became of it.
    public let result: Result

    /// An outcome; see the properties.
    public init(id: Int64, _ result: Result) {
        self.id = id
        self.result = result
    }
}

/// Notifications that were never sent.
public struct NotificationLosses: Hashable, Sendable {
    /// How long a loss is remembered at least, by the same clock as ``WaitingNotification/age``. Ours: whoever asks on the
    /// next day still learns of it.
    public static let memory = Duration.seconds(24 * 3600)

    /// How many, of a series in which no two are further apart than ``memory``.
    public var count: UInt64
    /// Why the last one was lost, on one line.
    public var lastReason: String
    /// How long ago that was, as far as that is known.
    public var sinceLast: Duration

    /// Losses; see the properties.
    public init(count: UInt64, lastReason: String, sinceLast: Duration) {
        self.count = count
        self.lastReason = lastReason
        self.sinceLast = sinceLast
    }
}
