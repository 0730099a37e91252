/// How often something may happen.
public struct CallRate: Hashable, Sendable {
    /// Times a second for as long as it goes on.
    public var perSecond: Int
    /// Times at once, after a rest.
    public var burst: Int

    /// A rate; see the properties.
    public init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }

    /// The same for so many callers together, held within what can be counted.
    func times(_ count: Int) -> CallRate {
        func product(_ number: Int) -> Int {
            let (product, overflow) = number.multipliedReportingOverflow(by: count)
            return overflow ? .max : product
        }
        return CallRate(perSecond: product(perSecond), burst: product(burst))
    }
}

/// How often an account may call. An honest one sends 20 to 50 notifications a second at its busiest.
public struct CallRates: Hashable, Sendable {
    /// Notify, and NotifySilent by itself.
    public var notify = CallRate(perSecond: 100, burst: 1000)
    /// Subscribe, SubscribeAll and Unsubscribe together: as many as an account's servers need that reconnect at once.
    public var topics = CallRate(perSecond: 5, burst: 100)
    /// Subscriptions: an answer can be as large as a message may be.
    public var subscriptions = CallRate(perSecond: 5, burst: 100)
    /// Outcomes: while a test notification is under way, one a second.
    public var outcomes = CallRate(perSecond: 5, burst: 100)
    /// SetToken and RevokeToken together: each of an account's devices twice at once.
    public var tokens = CallRate(perSecond: 10, burst: 512)
    /// CreateSpace and RemoveSpace together: an account registers all of its spaces after a restart.
    public var spaces = CallRate(perSecond: 100, burst: 10_000)
    /// Topics that an account adds or takes away; one whose position changes counts for an eighth. At once all of them
    /// by all others, see ``ServiceLimits/topicsPerAccount``.
    public var topicChanges = CallRate(perSecond: 64, burst: 16_384)
    /// One address may call as often as so many accounts, loopback apart: accounts cost nothing to make. Of IPv6 a /64 is
    /// one address.
    public var accountsPerAddress = 16

    /// The defaults named at each property.
    public init() {}

    /// No limits, for measuring what lies behind them.
    package static let unlimited: CallRates = {
        let rate = CallRate(perSecond: 1_000_000_000, burst: 1_000_000_000)
        var rates = CallRates()
        (rates.notify, rates.topics, rates.subscriptions) = (rate, rate, rate)
        rates.outcomes = rate
        (rates.tokens, rates.spaces, rates.topicChanges) = (rate, rate, rate)
        return rates
    }()
}
