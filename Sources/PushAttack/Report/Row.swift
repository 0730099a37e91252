import AnySyncNet

/// One line of the report.
struct Row: Encodable, Sendable {
    /// Of the node, in MiB.
    struct Memory: Encodable, Sendable {
        var before = 0.0
        var peak = 0.0
        var after = 0.0
    }

    /// Of the honest client in one phase; times in milliseconds.
    struct Honest: Encodable, Sendable {
        let calls: Int
        let p50: Double
        let p99: Double
        let refused: [String: Int]
        let newcomers: Int
        let turnedAway: [String: Int]
        let lagP99: Double
        let undelivered: Int

        init(_ phase: Phase) {
            calls = phase.callCount
            p50 = phase.times.percentile(0.5)
            p99 = phase.times.percentile(0.99)
            refused = phase.refused
            newcomers = phase.newcomers + phase.turnedAwayCount
            turnedAway = phase.turnedAway
            lagP99 = phase.lags.percentile(0.99)
            undelivered = phase.undelivered
        }
    }

    let attack: String
    let transport: String
    let base: Honest
    let during: Honest
    let after: Honest
    let memory: Memory
    /// What the attacker got.
    let attacker: [String: Int]
    /// How often the attacker's repeated notification reached its device, where that counts.
    let deliveries: Int?
    /// Why the node did not hold; empty when it did.
    let failures: [String]

    init(
        _ attack: Attack, _ kind: ConnectionKind, _ base: Phase, _ during: Phase, _ after: Phase, _ memory: Memory,
        attacker: [String: Int], deliveries: Int, hasEnded: Bool, _ options: Options
    ) {
        self.attack = attack.name
        transport = kind.rawValue
        self.base = Honest(base)
        self.during = Honest(during)
        self.after = Honest(after)
        self.memory = memory
        self.attacker = attacker
        self.deliveries = attack.deliveriesOfEach == nil ? nil : deliveries
        failures =
            (hasEnded ? ["the node ended"] : [])
            + Judge.failures(
                attack, self.base, self.during, self.after, memory, deliveries: deliveries, floor: options.floor)
    }
}
