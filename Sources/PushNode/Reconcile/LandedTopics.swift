import PushAPI

/// The topics that a node holds, as it has confirmed.
struct LandedTopics: Hashable, Sendable {
    /// The topics.
    let topics: Set<SubscribedTopic>
    /// The spaces whose topics it took unregistered. A node may ignore those (protocol.md §4, code 1204), so they are
    /// worth sending once more when the space has been registered.
    let unregistered: Set<String>
}
