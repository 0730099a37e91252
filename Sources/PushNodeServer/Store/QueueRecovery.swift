package import PushAPI

/// How the queue of an earlier run is taken up.
package struct QueueRecovery: Sendable {
    /// The platforms that there is a lane for.
    package var lanes: [Platform]
    /// How long a notification lives at most from now on.
    package var lifetime: Duration
    /// How long a delivery waits at most for its next try from now on.
    package var longestWait: Duration

    /// See the properties; the times are those of the node's defaults unless said otherwise.
    package init(
        lanes: [Platform], lifetime: Duration = .seconds(86_400), longestWait: Duration = Backoff().longest
    ) {
        self.lanes = lanes
        self.lifetime = lifetime
        self.longestWait = longestWait
    }
}

/// What was found when a store was opened.
package struct StoreStart: Sendable {
    /// The node's time, which goes on from the earlier run's.
    package var timeline: Timeline
    /// What passed since that run, `nil` in a fresh store.
    package var passage: TimeRecord.Passage?
    /// Notifications of platforms without a lane whose time was over, with what was left to bring of them.
    package var expired: [Platform: ExpiryCount] = [:]
}
