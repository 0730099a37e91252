public import PushAPI

/// What a push node holds, does, and has done since it started.
public struct NodeStatus: Sendable {
    /// The calls and what came of them.
    public var service: ServiceStatus
    /// The deliveries, by platform.
    public var lanes: [Platform: LaneStatus]
    /// What the store holds; `nil` when it can not be read.
    public var store: StoreStatistics?
}
