import AnySyncNet

extension NodeLimit {
    /// Every limit that an operator may set, in the order of the help page.
    public static let all: [NodeLimit] = calls + rates + queue + store + lanes + connections + memory + requests

    private static let calls = [
        NodeLimit("topics-per-account", \.service.topicsPerAccount, "topics of one account"),
        NodeLimit(
            "topic-bytes-per-account", \.service.topicBytesPerAccount, "bytes of their keys and names together",
            in: .bytes),
        NodeLimit("topics-per-notification", \.service.topicsPerNotification, "topics of one notification"),
        NodeLimit("devices-per-account", \.service.devicesPerAccount, "devices of one account"),
        NodeLimit("accounts-per-token", \.service.accountsPerToken, "accounts that register one device token"),
        NodeLimit("spaces-per-account", \.service.spacesPerAccount, "spaces that one account registers"),
        NodeLimit("outcome-devices", \.service.outcomeDevices, "devices whose last outcomes are remembered"),
        NodeLimit("verified-topics", \.service.verifiedTopics, "topic signatures remembered as good"),
    ]

    private static let rates = [
        NodeLimit("notify-rate", \.service.rates.notify.perSecond, "of Notify by one account", in: .perSecond),
        NodeLimit("notify-burst", \.service.rates.notify.burst, "of Notify by one account at once"),
        NodeLimit("topics-rate", \.service.rates.topics.perSecond, "of SubscribeAll by one account", in: .perSecond),
        NodeLimit("topics-burst", \.service.rates.topics.burst, "of SubscribeAll by one account at once"),
        NodeLimit(
            "subscriptions-rate", \.service.rates.subscriptions.perSecond, "of Subscriptions by one account",
            in: .perSecond),
        NodeLimit(
            "subscriptions-burst", \.service.rates.subscriptions.burst, "of Subscriptions by one account at once"),
        NodeLimit("outcomes-rate", \.service.rates.outcomes.perSecond, "of Outcomes by one account", in: .perSecond),
        NodeLimit("outcomes-burst", \.service.rates.outcomes.burst, "of Outcomes by one account at once"),
        NodeLimit("tokens-rate", \.service.rates.tokens.perSecond, "of SetToken by one account", in: .perSecond),
        NodeLimit("tokens-burst", \.service.rates.tokens.burst, "of SetToken by one account at once"),
        NodeLimit("spaces-rate", \.service.rates.spaces.perSecond, "of CreateSpace by one account", in: .perSecond),
        NodeLimit("spaces-burst", \.service.rates.spaces.burst, "of CreateSpace by one account at once"),
        NodeLimit(
            "topic-changes-rate", \.service.rates.topicChanges.perSecond, "topics that one account changes",
            in: .perSecond),
        NodeLimit(
            "topic-changes-burst", \.service.rates.topicChanges.burst, "topics that one account changes at once"),
        NodeLimit(
            "accounts-per-address", \.service.rates.accountsPerAddress,
            "one address may call as often as so many accounts"),
    ]

    private static let queue = [
        NodeLimit("queued-notifications", \.service.queuedNotifications, "notifications in the queue"),
        NodeLimit("queue-share", \.service.queueShareDivisor, "one account may have the free places divided by this"),
        NodeLimit(
            "repeats-per-account", \.service.repeatsPerAccount, "notifications of one account known if they come again"),
        NodeLimit("repeats", \.service.repeats, "notifications known if they come again"),
    ]

    private static let store = [
        NodeLimit(
            "store-bytes", \.store.bytes, "size of the store at which nothing new is taken", in: .bytes,
            from: 1 << 20...1 << 50),
        NodeLimit(
            "free-disk-bytes", \.store.freeDiskBytes, "what is left free on its disk", in: .bytes, from: 0...1 << 50),
    ]

    private static let lanes = [
        NodeLimit("concurrent-deliveries", \.lanes.concurrentDeliveries, "deliveries of a platform under way at once")
    ]

    private static let connections = [
        NodeLimit("connections", \.net.connections, "connections in all"),
        NodeLimit("connections-per-account", \.net.connectionsPerAccount, "connections of one account"),
        NodeLimit(
            "connections-per-address", \.net.connectionsPerAddress, "connections of one address, of IPv6 one /64"),
        NodeLimit(
            "unfinished-handshakes", \.net.unfinishedHandshakes, "incoming connections that have proven nothing yet"),
        NodeLimit(
            "unfinished-handshakes-per-address", \.net.unfinishedHandshakesPerAddress,
            "the same of one address, of IPv6 one /64"
        ),
        NodeLimit("descriptor-reserve", \.net.descriptorReserve, "descriptors that connections leave to the rest"),
        NodeLimit(
            "streams-per-connection", \.net.incomingStreams, "streams that a peer may have open on one connection"),
        NodeLimit("idle-time", \.net.idleTimeout, "how long a connection may be without a call"),
        NodeLimit("write-time", \.net.writeTimeout, "how long a peer may take nothing of what waits for it"),
    ]

    private static let memory = [
        NodeLimit(
            "held-bytes", \.net.heldBytes, "bytes held for peers: requests, and answers that they have not taken",
            in: .bytes, from: 1 << 20...1 << 40),
        NodeLimit(
            "held-by-connection", \.net.heldByConnection, "of these for one connection, in percent", from: 1...100),
        NodeLimit("held-by-account", \.net.heldByAccount, "of these for one account, in percent", from: 1...100),
        NodeLimit(
            "held-by-address", \.net.heldByAddress, "of these for one address, of IPv6 one /64, in percent",
            from: 1...100),
        NodeLimit("held-in-reserve", \.net.heldInReserve, "of these for who holds little, in percent", from: 0...90),
    ]

    private static let requests = [
        NodeLimit("concurrent-calls", \.rpc.concurrentCalls, "calls that run at once"),
        NodeLimit("calls-per-account", \.rpc.callsPerAccount, "calls that run at once for one account"),
        NodeLimit(
            "calls-per-address", \.rpc.callsPerAddress, "calls that run at once for one address, of IPv6 one /64"),
        NodeLimit("message-time", \.rpc.messageTime, "how long a request may take to arrive"),
        NodeLimit("answer-time", \.rpc.answerTime, "how long a caller may take for an answer"),
        NodeLimit("answer-stall", \.rpc.answerStall, "how long a caller may take for the next 64 KiB of an answer"),
        NodeLimit("untaken-answers", \.rpc.untakenAnswers, "answers left untaken that cost a peer its connection"),
    ]
}
