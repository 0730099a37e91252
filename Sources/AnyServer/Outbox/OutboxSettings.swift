import MachineTime
import PushNode

/// How an account's outbox keeps notifications.
struct OutboxSettings: Sendable {
    /// The notifications that it has at most; another one is dropped. Ours: a node that is away for the minute in which
    /// each has its tries loses nothing at a hundred messages a second.
    var capacity = 8192
    /// Their bytes at most. A notification that mentions nobody has about 3 KiB, each mention makes it longer.
    var byteCapacity = 32 << 20
    /// How long a reading waits until the account's devices are told, see `PushHooks.Limits.readDelay`.
    var readDelay: @Sendable () -> Duration = { PushHooks.anyDuration(within: PushHooks.Limits().readDelay) }
    /// The present moment.
    var now: @Sendable () -> MachineMoment = { MachineMoment.now }
}
