import AnySyncNet

extension NodeLimit {
    /// Every limit that an operator may set, in the order of the help page.
    public static let all: [NodeLimit] = calls + queue + lanes + connections + requests

    private static let calls = [
        NodeLimit("topics-per-account", \.service.topicsPerAccount, "topics of one account"),
        NodeLimit("topics-per-notification", \.service.topicsPerNotification, "topics of one notification"),
        NodeLimit("devices-per-account", \.service.devicesPerAccount, "devices of one account"),
        NodeLimit("accounts-per-token", \.service.accountsPerToken, "accounts that register one device token"),
        NodeLimit("spaces-per-account", \.service.spacesPerAccount, "spaces that one account registers"),
        NodeLimit("verified-topics", \.service.verifiedTopics, "topic signatures remembered as good"),
    ]

    private static let queue = [
        NodeLimit("queued-notifications", \.service.queuedNotifications, "notifications in the queue")
    ]

    private static let lanes = [
        NodeLimit("concurrent-deliveries", \.lanes.concurrentDeliveries, "deliveries of a platform under way at once")
    ]

    private static let connections = [
        NodeLimit("connections", \.net.connections, "connections in all"),
        NodeLimit("unfinished-handshakes", \.net.unfinishedHandshakes, "incoming connections that have proven nothing yet"),
        NodeLimit("streams-per-connection", \.net.incomingStreams, "streams that a peer may have open on one connection"),
        NodeLimit("idle-time", \.net.idleTimeout, "how long a connection may be without a call"),
    ]

    private static let requests = [
        NodeLimit("concurrent-calls", \.rpc.concurrentCalls, "calls that run at once"),
        NodeLimit("request-bytes", \.rpc.requestBytes, "bytes of requests held at once", in: .bytes),
    ]
}
